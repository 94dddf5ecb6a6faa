// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/partsjson.h"

namespace pipeloom
{

namespace
{

constexpr double mostFlops = 1e18;
constexpr double mostBandwidth = 1e15;
constexpr double mostLatency = 1;

/// The payload bandwidth of the all-to-all kernels is a measured share of the link: it moves with the link unless it is given.
void scalePayload(double &payload, double linkBefore, double linkNow, bool given)
{
    if (!given && linkBefore > 0)
        payload *= linkNow / linkBefore;
}

} // namespace

void readClusterKeys(ObjectReader &reader, Cluster &cluster)
{
    const Cluster before = cluster;
    reader.text("name", cluster.name);
    reader.text("title", cluster.title);
    reader.text("source", cluster.source);
    reader.number("bf16_flops", cluster.bf16Flops, 1e9, mostFlops);
    reader.number("fp8_flops", cluster.fp8Flops, 0, mostFlops);
    reader.integer("multiprocessors", cluster.multiprocessors, 1, 100'000);
    reader.integer("hbm_bytes", cluster.hbmBytes, std::int64_t{ 1 } << 20, std::int64_t{ 1 } << 50);
    reader.number("hbm_bandwidth", cluster.hbmBandwidth, 1e6, mostBandwidth);
    const bool node = reader.integer("gpus_per_node", cluster.gpusPerNode, 1, 65'536);
    const bool domain = reader.integer("scale_up_domain", cluster.scaleUpDomain, 1, 65'536);
    reader.number("scale_up_bandwidth", cluster.scaleUpBandwidth, 1e6, mostBandwidth);
    reader.number("scale_out_bandwidth", cluster.scaleOutBandwidth, 1e6, mostBandwidth);
    reader.number("scale_up_latency", cluster.scaleUpLatency, 0, mostLatency);
    reader.number("scale_out_latency", cluster.scaleOutLatency, 0, mostLatency);
    const bool up = reader.number("expert_scale_up_bandwidth", cluster.expertScaleUpBandwidth, 1e6, mostBandwidth);
    const bool out = reader.number("expert_scale_out_bandwidth", cluster.expertScaleOutBandwidth, 1e6, mostBandwidth);
    reader.number("usd_per_gpu_hour", cluster.usdPerGpuHour, 0, 1e6);
    reader.boolean("rocm", cluster.rocm);
    if (node && !domain && before.scaleUpDomain == before.gpusPerNode)
        cluster.scaleUpDomain = cluster.gpusPerNode;
    scalePayload(cluster.expertScaleUpBandwidth, before.scaleUpBandwidth, cluster.scaleUpBandwidth, up);
    scalePayload(cluster.expertScaleOutBandwidth, before.scaleOutBandwidth, cluster.scaleOutBandwidth, out);
    if (before.bf16Flops > 0)
        return;
    // Written out in full, not over a preset: nothing but the texts may be missing.
    for (const char *key : { "bf16_flops", "hbm_bytes", "hbm_bandwidth", "scale_up_bandwidth", "scale_out_bandwidth",
                             "expert_scale_up_bandwidth", "expert_scale_out_bandwidth" })
        static_cast<void>(reader.find(key, ObjectReader::Required));
}

Json clusterJson(const Cluster &cluster)
{
    Json out = Json::object();
    out["name"] = cluster.name;
    out["title"] = cluster.title;
    out["source"] = cluster.source;
    out["bf16_flops"] = cluster.bf16Flops;
    out["fp8_flops"] = cluster.fp8Flops;
    out["multiprocessors"] = cluster.multiprocessors;
    out["hbm_bytes"] = cluster.hbmBytes;
    out["hbm_bandwidth"] = cluster.hbmBandwidth;
    out["gpus_per_node"] = cluster.gpusPerNode;
    out["scale_up_domain"] = cluster.scaleUpDomain;
    out["scale_up_bandwidth"] = cluster.scaleUpBandwidth;
    out["scale_out_bandwidth"] = cluster.scaleOutBandwidth;
    out["scale_up_latency"] = cluster.scaleUpLatency;
    out["scale_out_latency"] = cluster.scaleOutLatency;
    out["expert_scale_up_bandwidth"] = cluster.expertScaleUpBandwidth;
    out["expert_scale_out_bandwidth"] = cluster.expertScaleOutBandwidth;
    out["usd_per_gpu_hour"] = cluster.usdPerGpuHour;
    out["rocm"] = cluster.rocm;
    return out;
}

} // namespace pipeloom
