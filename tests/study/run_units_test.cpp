#include "study/run_units.hpp"

#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/random.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;
using testing::TemporaryFolder;

/// Units that draw from their seed and count how often they are computed.
struct Experiment {
  std::vector<std::atomic<int>> calls;
  std::vector<Unit> units;

  explicit Experiment(std::size_t num_units) : calls(num_units) {
    for (std::size_t u = 0; u < num_units; ++u) {
      Unit unit{.identity = {.kind = "test", .options = {{"number", u}}, .seed = 100 + u}};
      unit.run = [this, u](const Context& context) -> Json {
        ++calls[u];
        Rng rng(context.seed(), Stream::kTest, 0);
        return {{"draw", rng.normal()}, {"threads", context.num_threads()}};
      };
      units.push_back(std::move(unit));
    }
  }
  int num_calls() const {
    int sum = 0;
    for (const auto& count : calls) sum += count;
    return sum;
  }
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every file of the store, without the seconds.
std::map<std::string, Json> records_in(const std::filesystem::path& folder) {
  std::map<std::string, Json> records;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "units")) {
    Json record = Json::parse(bytes_of(entry.path()));
    record.erase("seconds");
    record.erase("checksum");  // over the seconds too
    records[entry.path().filename().string()] = std::move(record);
  }
  return records;
}

TEST(RunUnits, AResumedRunComputesNothingTwice) {
  const TemporaryFolder folder;
  Experiment experiment(12);
  const Context context({.threads = 2});
  const UnitStore store(folder.path());
  run_units(context, UnitWork{store}, std::span(experiment.units).first(5), "test");
  EXPECT_EQ(experiment.num_calls(), 5);
  const UnitsReport all = run_units(context, UnitWork{store}, experiment.units, "test");
  EXPECT_EQ(all.num_reused, 5U);
  for (const auto& count : experiment.calls) EXPECT_EQ(count, 1);
  const UnitsReport again = run_units(context, UnitWork{store}, experiment.units, "test");
  EXPECT_EQ(again.num_reused, 12U);
  EXPECT_EQ(experiment.num_calls(), 12);
  for (std::size_t u = 0; u < 12; ++u) EXPECT_EQ(all.records[u].result, again.records[u].result);
}

TEST(RunUnits, RecordsAreTheSameAtAnyNumberOfThreads) {
  std::map<std::string, Json> first;
  for (const int threads : {1, 2, 5}) {
    const TemporaryFolder folder;
    Experiment experiment(23);
    run_units(Context({.seed = 7, .threads = threads}), UnitWork{UnitStore(folder.path())},
              experiment.units, "test");
    const auto records = records_in(folder.path());
    ASSERT_EQ(records.size(), 23U);
    if (first.empty()) first = records;
    EXPECT_EQ(records, first);
  }
  for (const auto& [name, record] : first) {
    EXPECT_EQ(record["schema"], "cone.unit/3");
    EXPECT_EQ(record["id"].get<std::string>() + ".json", name);
    EXPECT_EQ(record["result"]["threads"], 1);
  }
}

TEST(RunUnits, AnInvalidRecordIsRecomputedWithARemark) {
  const TemporaryFolder folder;
  Experiment experiment(2);
  const Context context({.threads = 1});
  const UnitStore store(folder.path());
  run_units(context, UnitWork{store}, experiment.units, "test");
  const auto file = store.file_of(experiment.units[0].identity.id());
  const auto other = store.file_of(experiment.units[1].identity.id());
  const std::string good = bytes_of(file);
  const auto edited = [&](const char* from, const std::string& to) {
    std::string text = good;
    const std::size_t position = text.find(from);
    EXPECT_NE(position, text.npos) << from;
    return text.replace(position, std::string_view(from).size(), to);
  };
  int expected_calls = 1;
  for (const std::string& bad :
       {std::string(), std::string("null"), std::string("[1, 2"), good.substr(0, good.size() / 2),
        bytes_of(other), edited("cone.unit/3", "cone.unit/1"),
        edited("\"number\": 0", "\"number\": 3"), edited("\"seed\": 100", "\"seed\": 101"),
        edited("\"completed\"", "\"failed\""), edited("\"error\": \"\"", "\"error\": \"x\""),
        edited("\"draw\"", "\"draw\": 1, \"draw\""), std::string(100'000, '['),
        edited("\"result\": {", "\"deep\": " + std::string(100'000, '[') +
                                    std::string(100'000, ']') + ", \"result\": {"),
        edited("\"completed\"", "\"perhaps\""), edited("\"result\"", "\"outcome\""),
        edited("\"seconds\": ", "\"seconds\": \"x\", \"x\": ")}) {
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << bad;
    const UnitsReport report = run_units(context, UnitWork{store}, experiment.units, "test");
    EXPECT_EQ(experiment.calls[0], ++expected_calls) << bad;
    EXPECT_EQ(report.num_reused, 1U);
    ASSERT_EQ(report.remarks.size(), 1U) << bad;
    EXPECT_NE(report.remarks[0].find(file.string()), std::string::npos);
    EXPECT_EQ(Json::parse(bytes_of(file))["result"], Json::parse(good)["result"]);
  }
  EXPECT_EQ(experiment.calls[1], 1);
}

TEST(RunUnits, AResultOfTheWrongStructureIsRecomputedWithARemark) {
  const TemporaryFolder folder;
  Experiment experiment(2);
  const auto draw = experiment.units[0].run;
  experiment.units[0].run = [](const Context&) -> Json { return Json::array({1, 2}); };
  const UnitStore store(folder.path());
  const Context context({.threads = 1});
  run_units(context, UnitWork{store}, experiment.units, "test");
  experiment.units[0].run = draw;
  for (Unit& unit : experiment.units) {
    unit.accepts = [](const Json& result) { return result.is_object(); };
  }
  const UnitsReport report = run_units(context, UnitWork{store}, experiment.units, "test");
  EXPECT_EQ(report.num_reused, 1U);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_NE(report.remarks[0].find("is damaged"), std::string::npos);
  EXPECT_TRUE(report.records[0].result.contains("draw"));
}

TEST(RunUnits, AFolderAtTheRecordsPathStopsNothing) {
  const TemporaryFolder folder;
  Experiment experiment(3);
  const UnitStore store(folder.path());
  const auto file = store.file_of(experiment.units[1].identity.id());
  std::filesystem::create_directories(file / "mine");
  const UnitsReport report =
      run_units(Context({.threads = 1}), UnitWork{store}, experiment.units, "test");
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_NE(report.remarks[0].find("is not a file"), std::string::npos);
  EXPECT_EQ(report.num_failed, 0U);
  for (const UnitRecord& record : report.records) EXPECT_TRUE(record.result.contains("draw"));
  EXPECT_TRUE(std::filesystem::is_directory(file / "mine"));
  EXPECT_EQ(
      run_units(Context({.threads = 1}), UnitWork{store}, experiment.units, "test").num_reused, 2U);
}

TEST(RunUnits, AFailureAffectsNoOtherUnitAndIsRetriedOnRequestOnly) {
  const TemporaryFolder folder;
  Experiment experiment(6);
  bool broken = true;
  int attempts = 0;
  const auto good = experiment.units[2].run;
  experiment.units[2].run = [&](const Context& context) {
    ++attempts;
    if (broken) throw Error(ErrorCode::kData, Fault{.what = "bad luck \xff"});
    return good(context);
  };
  const UnitStore store(folder.path());
  const Context context({.threads = 2});
  UnitsReport report = run_units(context, UnitWork{store}, experiment.units, "test");
  EXPECT_EQ(report.num_failed, 1U);
  EXPECT_EQ(report.records[2].status, UnitStatus::kFailed);
  EXPECT_NE(report.records[2].error.find("bad luck"), std::string::npos);
  EXPECT_EQ(experiment.num_calls(), 5);

  broken = false;
  report = run_units(context, UnitWork{store}, experiment.units, "test");
  EXPECT_EQ(report.num_failed, 1U);
  EXPECT_EQ(attempts, 1);
  report = run_units(context, {store, true}, experiment.units, "test");
  EXPECT_EQ(report.num_failed, 0U);
  EXPECT_EQ(report.num_reused, 5U);
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(experiment.num_calls(), 6);
}

TEST(RunUnits, CancellationKeepsFinishedUnits) {
  class StopsAfter : public ProgressObserver {
   public:
    explicit StopsAfter(std::uint64_t done) : done_(done) {}
    bool update(std::string_view, std::uint64_t done, std::uint64_t) override {
      return done < done_;
    }

   private:
    std::uint64_t done_;
  };
  for (const int threads : {1, 3}) {
    const TemporaryFolder folder;
    Experiment experiment(40);
    const UnitStore store(folder.path());
    StopsAfter observer(4);
    EXPECT_THROW(run_units(Context({.threads = threads, .progress = &observer}), UnitWork{store},
                           experiment.units, "test"),
                 Cancelled);
    const std::size_t finished = records_in(folder.path()).size();
    EXPECT_GE(finished, 4U);
    EXPECT_LT(finished, 40U);
    const UnitsReport report =
        run_units(Context({.threads = threads}), UnitWork{store}, experiment.units, "test");
    EXPECT_EQ(report.num_reused, finished);
  }
}

TEST(RunUnits, CancellationStopsARunningUnitAtItsNextStep) {
  class StopsInside : public ProgressObserver {
   public:
    bool update(std::string_view, std::uint64_t, std::uint64_t) override { return ++updates < 10; }
    int updates = 0;
  };
  const TemporaryFolder folder;
  Experiment experiment(2);
  for (Unit& unit : experiment.units) {
    unit.run = [](const Context& context) -> Json {
      while (true) context.report("for ever", 0, 1);  // ends only by Cancelled
    };
  }
  StopsInside observer;
  EXPECT_THROW(run_units(Context({.threads = 2, .progress = &observer}),
                         UnitWork{UnitStore(folder.path())}, experiment.units, "test"),
               Cancelled);
  EXPECT_TRUE(records_in(folder.path()).empty());
}

TEST(RunUnits, AFreshResultEqualsTheOneOfAResumedRun) {
  const TemporaryFolder folder;
  Experiment experiment(1);
  experiment.units[0].run = [](const Context&) -> Json {
    return {{"nan", std::numeric_limits<double>::quiet_NaN()}, {"third", 1.0 / 3}, {"one", 1.0}};
  };
  const UnitStore store(folder.path());
  const UnitsReport fresh =
      run_units(Context({.threads = 1}), UnitWork{store}, experiment.units, "test");
  const UnitsReport resumed =
      run_units(Context({.threads = 1}), UnitWork{store}, experiment.units, "test");
  EXPECT_TRUE(fresh.records[0].result["nan"].is_null());
  EXPECT_EQ(fresh.records[0].result["third"].get<double>(), 1.0 / 3);
  EXPECT_EQ(fresh.records[0].result.dump(), resumed.records[0].result.dump());
}

TEST(UnitIdentity, TheIdDependsOnEveryPart) {
  const UnitIdentity plain{.kind = "a", .options = {{"x", 1}}, .seed = 1, .data_checksum = "d"};
  UnitIdentity other = plain;
  EXPECT_EQ(other.id(), plain.id());
  EXPECT_EQ(plain.id().size(), 32U);
  other.kind = "b";
  EXPECT_NE(other.id(), plain.id());
  other = plain;
  other.options["x"] = 1.5;
  EXPECT_NE(other.id(), plain.id());
  other = plain;
  other.seed = 2;
  EXPECT_NE(other.id(), plain.id());
  other = plain;
  other.data_checksum = "e";
  EXPECT_NE(other.id(), plain.id());
}

TEST(UnitStore, ThrowsWhereItCannotBeCreated) {
  const TemporaryFolder folder;
  const auto file = folder.write("taken", "");
  EXPECT_THROW(UnitStore(file / "below"), Error);
}

TEST(RunUnits, ShardsDivideTheUnitsAndTheLastOneHasAllRecords) {
  const TemporaryFolder whole_folder;
  const TemporaryFolder shared_folder;
  Experiment alone(11);
  const UnitsReport whole = run_units(
      Context({.threads = 2}), UnitWork{UnitStore(whole_folder.path())}, alone.units, "test");
  Experiment experiment(11);
  const auto run_shard = [&](std::size_t number) {
    const UnitWork work{.store = UnitStore(shared_folder.path()), .shard = {number, 3}};
    return run_units(Context({.threads = 2}), work, experiment.units, "test");
  };
  EXPECT_THROW(run_shard(2), OtherShardsAreBusy);
  EXPECT_EQ(experiment.num_calls(), 4);
  EXPECT_THROW(run_shard(2), OtherShardsAreBusy);  // resumes: nothing is left to compute
  EXPECT_EQ(experiment.num_calls(), 4);
  EXPECT_THROW(run_shard(3), OtherShardsAreBusy);
  const UnitsReport last = run_shard(1);
  EXPECT_EQ(experiment.num_calls(), 11);
  EXPECT_EQ(records_in(shared_folder.path()), records_in(whole_folder.path()));
  for (std::size_t u = 0; u < 11; ++u) {
    EXPECT_EQ(last.records[u].result, whole.records[u].result);
  }
}

TEST(RunUnits, AShardComputesMissingUnitsOnRequest) {
  const TemporaryFolder folder;
  Experiment experiment(7);
  UnitWork work{.store = UnitStore(folder.path()), .shard = {2, 4}, .computes_missing = true};
  EXPECT_EQ(run_units(Context({.threads = 2}), work, experiment.units, "test").num_reused, 0U);
  EXPECT_EQ(experiment.num_calls(), 7);
  work.shard.number = 1;
  EXPECT_EQ(run_units(Context({.threads = 2}), work, experiment.units, "test").num_reused, 7U);
}

TEST(Shard, IsReadFromText) {
  const Shard shard = parse_shard("2/8");
  EXPECT_EQ(shard.number, 2U);
  EXPECT_EQ(shard.count, 8U);
  for (const char* text : {"", "2", "0/4", "5/4", "1/0", "-1/4", "1/4x", " 1/4", "1/ 4", "a/b",
                           "1/", "/4", "1/4/4", "1/99999999999999999999"}) {
    EXPECT_THROW(parse_shard(text), Error) << text;
  }
}

}  // namespace
}  // namespace cone
