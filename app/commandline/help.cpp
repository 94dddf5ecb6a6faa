// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/help.h"

namespace pipeloom
{

namespace
{

constexpr const char *exitCodes =
    "\nExit codes: 0 fine, 1 the input is understood but wrong, 2 usage, 3 a file cannot be read, 130 interrupted.\n"
    "Results go to stdout, everything else to stderr.";

} // namespace

std::string summary(std::string_view command)
{
    if (command == "evaluate")
        return "Memory, step time, throughput and cost of one plan";
    if (command == "check")
        return "Only the rules a plan breaks, each with its repair";
    if (command == "compare")
        return "Plans side by side, each difference with its cause";
    if (command == "schedule")
        return "The ops of a pipeline schedule, simulated";
    if (command == "models")
        return "The model presets, or one model with every weight matrix";
    if (command == "paper")
        return "Memory as arXiv:2502.07846 counts it, and corrected";
    if (command == "selfcheck")
        return "Published numbers beside the ones computed here";
    return "PipeLoom, an explorer for mixture-of-experts training plans";
}

std::string details(std::string_view command)
{
    if (command == "evaluate") {
        return "Bytes are exact, times are seconds, and every number carries its unit and where it comes from: counted, "
               "modelled,\n"
               "calibrated, measured or assumed. A plan that does not fit also gets the nearest plans that do. A plan that "
               "breaks a\n"
               "rule is printed with its diagnostics and exit code 1; check lists them alone.\n"
               "\n"
               "Examples:\n"
               "  pipeloom evaluate plan.loom.json\n"
               "  pipeloom evaluate plan.loom.json --set plan.pp=16 --set plan.schedule=1f1b --format json\n"
               "  pipeloom evaluate plan.loom.json --alternative 1F1B --format html > report.html\n"
               "  pipeloom evaluate - < plan.loom.json\n"
            + std::string(exitCodes);
    }
    if (command == "check") {
        return "Each finding names its field, the rule and, where there is one, the --set that repairs it.\n"
               "A field that cannot change anything in this plan gets a warning. Exit code 1 when a finding is an error; "
               "warnings and\n"
               "notes give 0.\n"
               "\n"
               "A scenario file needs format, model, plan.gpus and plan.global_batch. Sizes that are missing are 1 (zero too), "
               "seq is\n"
               "4,096, schedule dualpipe, cluster h800, precision deepseek-v3-fp8, recompute deepseek-v3; the samples hold every "
               "key.\n"
            + std::string(exitCodes);
    }
    if (command == "compare") {
        return "Every quantity is shown for every plan. Differences read as in the window: \"A vs B\" is A minus B, in percent "
               "of B; each\n"
               "comes with its cause, read off the two evaluations. A is the scenario itself or the first file.\n"
               "--set and --alternative apply to each file before it is compared.\n"
               "\n"
               "Examples:\n"
               "  pipeloom compare plan.loom.json\n"
               "  pipeloom compare a.loom.json b.loom.json --format markdown\n"
            + std::string(exitCodes);
    }
    if (command == "schedule") {
        return "Durations are plain numbers in any one unit, per op of one chunk; every time in the result is in that unit, "
               "exactly.\n"
               "B is the full backward and W its weight part, so the part for the input is B - W. FB is a forward overlapped "
               "with a\n"
               "full backward of another microbatch. The closed form beside the simulation holds for equal stages and no "
               "latency.\n"
               "\n"
               "Formats: text is a table, with the orders when they are short; json holds every op with start and end; torch-csv "
               "is\n"
               "the compute schedule PyTorch's pipelining reads; chrome-trace opens in Perfetto, one unit drawn as 1 ms.\n"
               "--schedule custom --file takes such a CSV back, whoever wrote it: it is checked for missing and doubled ops and "
               "for\n"
               "deadlock, and its ranks and microbatches are the file's.\n"
               "\n"
               "Examples:\n"
               "  pipeloom schedule --schedule 1f1b --pp 8 --microbatches 20\n"
               "  pipeloom schedule --schedule dualpipe --pp 16 --microbatches 120 --f 77.3 --b 127.5 --w 29.8 --fb 129 --format "
               "json\n"
               "  pipeloom schedule --schedule dualpipe --pp 8 --microbatches 20 --format torch-csv > order.csv\n"
               "  pipeloom schedule --schedule custom --file order.csv --fb 2.5\n"
            + std::string(exitCodes);
    }
    if (command == "models") {
        return "Parameters are counted from the shapes, matrix by matrix. Active parameters count the output head but not the\n"
               "embedding, which is a lookup; the other conventions stand beside it. A config.json of another family is refused "
               "with\n"
               "the key that is not modelled.\n"
               "\n"
               "Examples:\n"
               "  pipeloom models\n"
               "  pipeloom models deepseek-v3\n"
               "  pipeloom models path/to/config.json --format json\n"
            + std::string(exitCodes);
    }
    if (command == "paper") {
        return "The accounting of arXiv:2502.07846 for its own plan, or for yours: one device, one microbatch. Beside each "
               "figure "
               "stands\n"
               "the corrected value with its cause, computed here: microbatches in flight, every stage, tokens from all ranks, "
               "the "
               "two\n"
               "data-parallel groups, weights that are split, flash attention, imbalance, units.\n"
               "\n"
               "Examples:\n"
               "  pipeloom paper\n"
               "  pipeloom paper --set plan.micro_batch=4 --format csv\n"
               "  pipeloom paper plan.loom.json --format html > paper.html\n"
            + std::string(exitCodes);
    }
    if (command == "selfcheck") {
        return "Every row holds a published number against what this program computes now, with the tolerance it claims.\n"
               "Rows whose tolerance is 20 % or more are marked loose. Where a sum is right partly because errors of its parts "
               "cancel,\n"
               "the notes below the table list them. Exit code 1 when a row is outside its tolerance. Nothing is read from "
               "disk.\n"
            + std::string(exitCodes);
    }
    if (command == "pipeloom") {
        return "Without a subcommand the window opens:\n"
               "  pipeloom [--start] [--clean] [--theme light|dark|system] [FILE.loom.json...]\n"
               "  --start shows the start page, --clean neither reads nor keeps the last session.\n"
               "Pictures without a display:\n"
               "  pipeloom render INPUT --view explore -o OUT.png|svg|pdf [--size 1600x1000] [--theme light|dark] [--time "
               "SECONDS]\n"
               "SUBCOMMAND --help explains each.\n"
            + std::string(exitCodes);
    }
    return "SUBCOMMAND --help explains each. This program needs no display; `pipeloom` has the window and the same subcommands.\n"
        + std::string(exitCodes);
}

} // namespace pipeloom
