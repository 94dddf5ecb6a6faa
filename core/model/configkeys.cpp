// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/configkeys.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pipeloom
{

namespace
{

// Names whose words speak of shapes, though they change none.
constexpr auto harmless = std::to_array<std::string_view>({ "architectures",
                                                            "attention_dropout",
                                                            "attn_pdrop",
                                                            "auto_map",
                                                            "aux_loss_alpha",
                                                            "bos_token_id",
                                                            "chunk_size_feed_forward",
                                                            "dtype",
                                                            "embd_pdrop",
                                                            "encoder_no_repeat_ngram_size",
                                                            "eos_token_id",
                                                            "ep_size",
                                                            "hidden_dropout",
                                                            "ignore_index",
                                                            "initializer_range",
                                                            "max_position_embeddings",
                                                            "max_window_layers",
                                                            "min_length",
                                                            "max_length",
                                                            "norm_topk_prob",
                                                            "num_beam_groups",
                                                            "num_beams",
                                                            "num_return_sequences",
                                                            "output_attentions",
                                                            "output_hidden_states",
                                                            "output_router_logits",
                                                            "pad_token_id",
                                                            "pretraining_tp",
                                                            "quantization_config",
                                                            "resid_pdrop",
                                                            "rms_norm_eps",
                                                            "rope_interleave",
                                                            "rope_parameters",
                                                            "rope_scaling",
                                                            "rope_theta",
                                                            "routed_scaling_factor",
                                                            "router_aux_loss_coef",
                                                            "router_jitter_noise",
                                                            "scoring_func",
                                                            "seq_aux",
                                                            "tie_encoder_decoder",
                                                            "top_k",
                                                            "top_p",
                                                            "torch_dtype",
                                                            "torchscript",
                                                            "transformers_version",
                                                            "typical_p",
                                                            "use_cache",
                                                            "_name_or_path" });

constexpr auto switches = std::to_array<std::string_view>({ "attention_bias", "hidden_act", "mlp_bias", "model_type", "qkv_bias",
                                                            "shared_expert_intermediate_size", "sliding_window", "use_bias",
                                                            "use_qk_norm", "use_qkv_bias", "use_sliding_window" });

// A key with one of these words that nobody reads is a model that nobody understands.
constexpr auto shapeWords = std::to_array<std::string_view>(
    { "attn",   "attention", "compress", "conv",  "cla",     "dense", "dim",    "expert", "gate",  "group",  "head",  "hidden",
      "hybrid", "hc_mult",   "index",    "inner", "latent",  "layer", "linear", "lora",   "mamba", "mlp",    "moe",   "mtp",
      "nextn",  "rank",      "shared",   "size",  "sliding", "ssm",   "state",  "vision", "width", "window", "config" });

// Beginnings of keys that say which part of a model is not modelled.
constexpr auto unmodelled = std::to_array<std::string_view>({ "attention_chunk",
                                                              "attn_config",
                                                              "attn_res",
                                                              "attn_type_list",
                                                              "cla_",
                                                              "compress_",
                                                              "ffn_config",
                                                              "hc_mult",
                                                              "hybrid_",
                                                              "index_head",
                                                              "index_n_heads",
                                                              "index_topk",
                                                              "interleave_moe",
                                                              "latent_",
                                                              "layer_types",
                                                              "linear_",
                                                              "mamba",
                                                              "o_lora",
                                                              "shared_expert_intermediate",
                                                              "ssm_",
                                                              "swa_num",
                                                              "use_cla",
                                                              "vision_config" });

} // namespace

bool isUnmodelledKey(std::string_view key)
{
    return std::ranges::any_of(unmodelled, [&](std::string_view start) { return key.starts_with(start); });
}

KeyRole configKeyRole(std::string_view key)
{
    if (std::ranges::find(harmless, key) != harmless.end())
        return KeyRole::Harmless;
    if (std::ranges::find(switches, key) != switches.end())
        return KeyRole::Switch;
    const bool shape =
        std::ranges::any_of(shapeWords, [&](std::string_view word) { return key.find(word) != std::string_view::npos; });
    return shape ? KeyRole::Shape : KeyRole::Unknown;
}

} // namespace pipeloom
