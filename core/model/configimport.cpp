// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/configimport.h"

#include "core/base/jsonreader.h"
#include "core/base/text.h"
#include "core/model/configfamily.h"
#include "core/model/configkeys.h"
#include "core/model/shapecheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pipeloom
{

namespace
{

constexpr std::int64_t mostWidth = 10'000'000;

/// Reads one config.json and writes down what it did with each key.
class Importer
{
public:
    Importer(JsonReport &report, const Json &config)
        : m_report(report)
        , m_config(config)
    {
    }

    ImportedModel run(const ConfigFamily &type)
    {
        readCommon();
        if (type.family == ModelFamily::DeepSeek)
            readLatentAttention();
        else
            readGroupedAttention(type);
        readFeedForward(type.family);
        refuseUnmodelled(type);
        sortOutRest();
        return std::move(m_result);
    }

private:
    ModelSpec &model() { return m_result.model; }
    [[nodiscard]] const Json *find(const std::string &key) const
    {
        const auto found = m_config.find(key);
        return found == m_config.end() ? nullptr : &*found;
    }
    void understood(const std::string &key, const std::string &value, const std::string &meaning)
    {
        m_seen.push_back(key);
        m_result.understood.push_back(fmt::format("{} = {}: {}", key, value, meaning));
    }

    /// A required whole number.
    template<class Integer>
    void integer(const std::string &key, Integer &target, const std::string &meaning, std::int64_t least = 1,
                 std::int64_t most = mostWidth)
    {
        const Json *value = find(key);
        m_seen.push_back(key);
        if (!value || value->is_null()) {
            m_report.error(ErrorCode::WrongType, "/" + key, fmt::format("is missing: {} cannot be known", meaning),
                           "complete the file");
            return;
        }
        if (const auto number = wholeNumber(m_report, *value, "/" + key, least, most)) {
            target = static_cast<Integer>(*number);
            understood(key, std::to_string(*number), meaning);
        }
    }

    /// A whole number that may be absent or null; then it has the value that the family's class gives it.
    void optional(const std::string &key, int &target, int otherwise, const std::string &meaning)
    {
        const Json *value = find(key);
        if (value && !value->is_null()) {
            integer(key, target, meaning, 0);
            return;
        }
        m_seen.push_back(key);
        target = otherwise;
        m_result.understood.push_back(fmt::format("{} ({}) = {}: {}", key, value ? "null" : "absent", otherwise, meaning));
    }

    bool flag(const std::string &key, bool otherwise, const std::string &meaning)
    {
        const Json *value = find(key);
        m_seen.push_back(key);
        if (!value || value->is_null()) {
            m_result.understood.push_back(fmt::format("{} (absent) = {}: {}", key, otherwise, meaning));
            return otherwise;
        }
        if (!value->is_boolean()) {
            m_report.error(ErrorCode::WrongType, "/" + key, fmt::format("expects true or false, found {}", quoted(*value)));
            return otherwise;
        }
        understood(key, value->dump(), meaning);
        return value->get<bool>();
    }

    void refuse(const std::string &key, const std::string &what)
    {
        m_seen.push_back(key);
        m_report.error(ErrorCode::Unsupported, "/" + key, what + " is not modelled", "nothing was imported");
    }

    void readCommon()
    {
        integer("hidden_size", model().hidden, "hidden width");
        integer("num_hidden_layers", model().layers, "layers", 1, 10'000);
        integer("vocab_size", model().vocab, "vocabulary", 1, 100'000'000);
        integer("num_attention_heads", model().attention.heads, "attention heads");
        model().tiedEmbeddings = flag("tie_word_embeddings", false, "input and output embedding share their weights");
        model().mlpMatrices = 3;
    }

    void readGroupedAttention(const ConfigFamily &type)
    {
        AttentionSpec &a = model().attention;
        a.kind = AttentionKind::GroupedQuery;
        a.qkNorm = type.qkNorm;
        a.qkvBias = type.qkvBias;
        optional("num_key_value_heads", a.kvHeads, a.heads, "key-value heads");
        const bool whole = a.heads > 0 && model().hidden % a.heads == 0;
        if (const Json *given = find("head_dim"); (!given || given->is_null()) && !whole)
            m_report.error(ErrorCode::WrongType, "/head_dim",
                           fmt::format("is missing and {} heads do not divide hidden_size {}", a.heads, model().hidden));
        else
            optional("head_dim", a.headDim, whole ? model().hidden / a.heads : 0, "width of a head");
        if (type.qkvBias)
            m_result.understood.emplace_back("model_type: bias vectors on queries, keys and values");
        if (type.qkNorm)
            m_result.understood.emplace_back("model_type: an RMSNorm per head on queries and keys");
    }

    void readLatentAttention()
    {
        AttentionSpec &a = model().attention;
        a.kind = AttentionKind::Latent;
        optional("q_lora_rank", a.queryRank, 0, "rank of the query latent, 0 = projected directly");
        integer("kv_lora_rank", a.kvRank, "rank of the key-value latent");
        integer("qk_nope_head_dim", a.nopeDim, "head width without rotary embedding");
        integer("qk_rope_head_dim", a.ropeDim, "head width with rotary embedding", 0);
        integer("v_head_dim", a.valueDim, "width of a value head");
        // Newer files repeat widths that follow from the others.
        for (const char *key : { "qk_head_dim", "head_dim" }) {
            int width = 0;
            if (const Json *value = find(key); value && !value->is_null())
                integer(key, width, "repeats a head width");
            if (width != 0 && width != a.qkDim() && width != a.ropeDim)
                m_report.error(ErrorCode::Unsupported, std::string("/") + key,
                               fmt::format("{} is neither {} nor {}", width, a.qkDim(), a.ropeDim));
        }
        // MLA has no key-value heads of its own; the configs repeat the number of heads.
        if (const Json *value = find("num_key_value_heads"); value && !value->is_null()) {
            int heads = 0;
            integer("num_key_value_heads", heads, "as many as heads under MLA");
            if (heads != a.heads)
                m_report.error(ErrorCode::Unsupported, "/num_key_value_heads",
                               fmt::format("{} differs from the {} heads", heads, a.heads));
        }
    }

    void readFeedForward(ModelFamily family)
    {
        MoeSpec &moe = model().moe;
        switch (family) {
        case ModelFamily::DeepSeek:
            readDeepSeekExperts();
            break;
        case ModelFamily::Mixtral:
            integer("num_local_experts", moe.experts, "routed experts", 1, 4096);
            integer("num_experts_per_tok", moe.topK, "experts a token");
            integer("intermediate_size", moe.expertWidth, "width of an expert");
            break;
        case ModelFamily::Qwen3Moe:
            integer("num_experts", moe.experts, "routed experts", 1, 4096);
            integer("num_experts_per_tok", moe.topK, "experts a token");
            integer("moe_intermediate_size", moe.expertWidth, "width of an expert");
            readQwenDenseLayers();
            break;
        case ModelFamily::Dense:
            integer("intermediate_size", model().denseWidth, "width of the MLP");
            model().denseLayers = model().layers;
            break;
        }
    }

    void readDeepSeekExperts()
    {
        MoeSpec &moe = model().moe;
        integer("n_routed_experts", moe.experts, "routed experts", 1, 4096);
        integer("num_experts_per_tok", moe.topK, "experts a token");
        integer("moe_intermediate_size", moe.expertWidth, "width of an expert");
        integer("intermediate_size", model().denseWidth, "width of a dense MLP");
        integer("first_k_dense_replace", model().denseLayers, "leading dense layers", 0);
        int shared = 0;
        optional("n_shared_experts", shared, 0, "shared experts");
        const std::int64_t width = static_cast<std::int64_t>(shared) * moe.expertWidth;
        if (width > mostWidth)
            m_report.error(ErrorCode::OutOfRange, "/n_shared_experts",
                           fmt::format("{} shared experts of width {} are too wide", shared, moe.expertWidth));
        else
            moe.sharedWidth = static_cast<int>(width);
        optional("num_nextn_predict_layers", model().mtpDepth, 0, "multi-token prediction modules");
        if (const Json *every = find("moe_layer_freq"); every && *every != 1)
            refuse("moe_layer_freq", "an MoE block in only some of the later layers");
        else if (every)
            understood("moe_layer_freq", "1", "every later layer has experts");
        if (model().denseLayers == 0)
            model().denseWidth = 0;
        readGroups();
    }

    /// Groups limit the routing only under the methods that use them.
    void readGroups()
    {
        MoeSpec &moe = model().moe;
        std::string method;
        if (const Json *value = find("topk_method"); value && value->is_string()) {
            method = value->get<std::string>();
            understood("topk_method", method, "how experts are chosen");
        }
        moe.scoreBias = method == "noaux_tc";
        int groups = 1;
        int topGroups = 1;
        optional("n_group", groups, 1, "expert groups");
        optional("topk_group", topGroups, groups, "groups a token may use");
        const bool limited = method == "noaux_tc" || method == "group_limited_greedy";
        moe.groups = limited ? std::max(groups, 1) : 1;
        moe.topGroups = limited ? std::max(topGroups, 1) : 1;
        if (!limited && groups > 1)
            m_result.understood.emplace_back("topk_method: the groups are not used");
    }

    /// Dense layers where decoder_sparse_step and mlp_only_layers put them; only leading ones are modelled.
    void readQwenDenseLayers()
    {
        int step = 1;
        optional("decoder_sparse_step", step, 1, "every how many layers have experts");
        if (step != 1) {
            refuse("decoder_sparse_step", fmt::format("an MoE block in every {}th layer", step));
            return;
        }
        const Json *dense = find("mlp_only_layers");
        if (!dense || dense->is_null() || (dense->is_array() && dense->empty())) {
            m_seen.emplace_back("mlp_only_layers");
            m_seen.emplace_back("intermediate_size");
            if (find("intermediate_size"))
                m_result.ignored.emplace_back("intermediate_size: there is no dense layer");
            return;
        }
        for (std::size_t i = 0; i < dense->size(); ++i) {
            if (!dense->is_array() || (*dense)[i] != i) {
                refuse("mlp_only_layers", "a dense layer behind an MoE layer");
                return;
            }
        }
        model().denseLayers = static_cast<int>(std::min<std::size_t>(dense->size(), 10'000));
        understood("mlp_only_layers", std::to_string(dense->size()), "leading dense layers");
        integer("intermediate_size", model().denseWidth, "width of a dense MLP");
    }

    /// Keys of the known families that are harmless at one value only.
    void refuseUnmodelled(const ConfigFamily &type)
    {
        if (const Json *value = find("use_qk_norm"); value && value->is_boolean() && *value != type.qkNorm)
            refuse("use_qk_norm", fmt::format("{} in this family", value->dump()));
        for (const char *key : { "qkv_bias", "use_qkv_bias" })
            if (const Json *value = find(key); value && value->is_boolean() && *value != type.qkvBias)
                refuse(key, fmt::format("{} in this family", value->dump()));
        for (const char *key : { "attention_bias", "mlp_bias", "use_bias" })
            if (const Json *value = find(key); value && *value == true)
                refuse(key, "bias vectors on every projection");
        // Newer files list the kind of every layer.
        if (const Json *types = find("layer_types"); types && !types->is_null()) {
            if (types->is_array() && std::ranges::all_of(*types, [](const Json &kind) { return kind == "full_attention"; }))
                understood("layer_types", "full_attention", "every layer");
            else
                refuse("layer_types", "a layer without full attention");
        }
        // Windowed attention counts fewer keys; a window switched off by its own flag is none.
        const Json *window = find("sliding_window");
        const Json *use = find("use_sliding_window");
        if (window && window->is_number() && !(use && *use == false))
            refuse("sliding_window", "windowed attention");
        if (const Json *shared = find("shared_expert_intermediate_size"); shared && !shared->is_null() && *shared != 0)
            refuse("shared_expert_intermediate_size", "a gated shared expert");
        if (const Json *act = find("hidden_act"); act && *act != "silu" && *act != "swiglu")
            refuse("hidden_act", fmt::format("an activation other than silu ({})", quoted(*act)));
    }

    /// Everything else is either known to change no shape, or refused when its name speaks of shapes.
    void sortOutRest()
    {
        for (const auto &[key, value] : m_config.items()) {
            if (std::ranges::find(m_seen, key) != m_seen.end())
                continue;
            const KeyRole role = configKeyRole(key);
            if (value.is_null() || role == KeyRole::Harmless || role == KeyRole::Switch) {
                m_result.ignored.push_back(key);
            } else if (role == KeyRole::Shape && !(value.is_boolean() && value == false) && !(value.is_number() && value == 0)) {
                m_report.error(ErrorCode::Unsupported, pointer("", key), "changes the shapes and is not modelled",
                               "nothing was imported");
            } else {
                m_result.ignored.push_back(key + ": not known here");
            }
        }
    }

    JsonReport &m_report;
    const Json &m_config;
    ImportedModel m_result;
    std::vector<std::string> m_seen;
};

/// The key of a config.json that holds a shape, for messages; the shape's own name where several do.
std::string configKey(const std::string &shape)
{
    static const std::array<std::pair<const char *, const char *>, 8> names{ { { "attention.kv_heads", "num_key_value_heads" },
                                                                               { "attention.heads", "num_attention_heads" },
                                                                               { "attention.head_dim", "head_dim" },
                                                                               { "dense_layers", "first_k_dense_replace" },
                                                                               { "moe.top_k", "num_experts_per_tok" },
                                                                               { "moe.groups", "n_group" },
                                                                               { "moe.top_groups", "topk_group" },
                                                                               { "hidden", "hidden_size" } } };
    const auto found = std::ranges::find_if(names, [&](const auto &pair) { return shape == pair.first; });
    return found == names.end() ? shape : found->second;
}

} // namespace

Expected<ImportedModel> importConfig(std::string_view jsonText, const std::string &file)
{
    const auto config = parseJson(jsonText, file);
    if (!config)
        return config.errors();
    JsonReport report(file, false);
    if (!config->is_object()) {
        report.error(ErrorCode::Syntax, "", fmt::format("is not a config.json: expects an object, found {}", quoted(*config)));
        return report.takeErrors();
    }
    const auto type = configFamily(report, *config);
    if (!type)
        return report.takeErrors();
    ImportedModel imported = Importer(report, *config).run(*type);
    imported.understood.insert(imported.understood.begin(), fmt::format("model_type = {}: family", type->modelType));
    std::erase(imported.ignored, "model_type");
    imported.model.source = file.empty() ? "config.json" : file;
    if (!report.failed())
        for (const ShapeFault &fault : checkShapes(imported.model))
            report.error(ErrorCode::OutOfRange, "/" + configKey(fault.key), fault.message, fault.hint);
    if (report.failed())
        return report.takeErrors();
    return imported;
}

} // namespace pipeloom
