// Data as users have it: columns of other names, text, missing values, other files.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using testing::faults_of;
using Names = std::vector<std::string>;

LoadedData load_table(const std::string& text, const LoadOptions& options = {}, int threads = 2) {
  return load_dataset(Context({.threads = threads}), MemoryFiles({{"nodes.csv", text}}), options);
}

std::string first_fault(const std::string& text, const LoadOptions& options = {}) {
  const auto faults = faults_of([&] { load_table(text, options); });
  return faults.empty() ? "none" : faults[0];
}

bool has_note(const LoadedData& data, const std::string& part) {
  for (const auto* list : {&data.notes, &data.warnings}) {
    for (const std::string& note : *list) {
      if (note.find(part) != std::string::npos) return true;
    }
  }
  return false;
}

std::vector<double> column(const LoadedData& data, const std::string& name) {
  const FeatureTable& features = data.observed.features;
  std::vector<double> values(data.observed.num_nodes(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
      if (features.names[j] == name) values[i] = value;
    });
  }
  return values;
}

/// Forty lines with `cell(i)` in the column x.
template <class Cell>
std::string forty(const Cell& cell) {
  std::string text = "treatment,outcome,x\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{}\n", i % 2, i * i % 7, cell(i));
  return text;
}

TEST(LoadTable, FlagsNameTheColumns) {
  const std::string text = "who,t,y,age,word_a,word_b,note\np,0,1,30,0,2,x\nq,1,2,40,3,0,x\n";
  const LoadedData data = load_table(
      text,
      {.id = "who", .treatment = "t", .outcome = "y", .ignore = {"note"}, .counts = {"word_*"}});
  EXPECT_EQ(data.observed.ids[1], "q");
  EXPECT_EQ(data.observed.outcome, (std::vector<double>{1, 2}));
  EXPECT_EQ(data.observed.features.names, (Names{"age", "word_a", "word_b"}));
  EXPECT_EQ(data.observed.features.num_dense, 1U);
  EXPECT_EQ(data.columns[4].kind, "count");
  EXPECT_EQ(load_table(text, {.treatment = "t", .outcome = "y", .features = {"age"}})
                .observed.features.names,
            Names{"age"});
}

TEST(LoadTable, CountsComeAfterNumericFeaturesWhateverTheirOrder) {
  const LoadedData data =
      load_table("treatment,outcome,word,age\n0,1,5,30\n1,2,0,40\n", {.counts = {"word"}});
  EXPECT_EQ(data.observed.features.names, (Names{"age", "word"}));
  EXPECT_EQ(data.observed.features.num_dense, 1U);
  EXPECT_EQ(column(data, "word"), (std::vector<double>{5, 0}));
  EXPECT_NE(first_fault("treatment,outcome,word\n0,1,-5\n1,2,0\n", {.counts = {"word"}})
                .find("'-5' is a negative count"),
            std::string::npos);
}

TEST(LoadTable, UnknownNamesAreSuggestedFromFourLettersOn) {
  const std::string text = "treatment,outcome,income,age\n0,1,2,3\n1,2,3,4\n";
  EXPECT_NE(first_fault(text, {.ignore = {"incom"}}).find("did you mean income?"),
            std::string::npos);
  const std::string fault = first_fault(text, {.ignore = {"ag"}});
  EXPECT_EQ(fault.find("did you mean"), std::string::npos) << fault;
  EXPECT_NE(fault.find("its columns are treatment, outcome, income, age"), std::string::npos);
}

TEST(LoadTable, WithoutIdsTheLinesAreNumberedWithANote) {
  const LoadedData data = load_table("treatment,outcome\n0,1\n1,2\n");
  EXPECT_EQ(data.observed.ids[0], "1");
  EXPECT_TRUE(has_note(data, "nodes are numbered 1, 2, ..."));
  EXPECT_TRUE(has_note(data, "the network has no edges"));
}

TEST(LoadTable, AColumnCalledIdMayBeIgnored) {
  const std::string text = "id,treatment,outcome\n7,0,1\n7,1,2\n";
  EXPECT_NE(first_fault(text).find("if 'id' is not an id, --ignore id"), std::string::npos);
  EXPECT_EQ(load_table(text, {.ignore = {"id"}}).observed.ids[1], "2");
}

TEST(LoadTable, AnUnnamedFirstColumnIsARowNumber) {
  const LoadedData data = load_table(",treatment,outcome,x\n7,0,1,5\n8,1,2,6\n");
  EXPECT_EQ(data.observed.features.names, Names{"x"});
  EXPECT_TRUE(has_note(data, "has no name: it is ignored as a row index"));
}

TEST(LoadTable, TrueAndFalseAreIndicators) {
  const LoadedData data = load_table("treatment,outcome,x\nTrue,TRUE,true\nFalse,False,FALSE\n");
  EXPECT_EQ(data.observed.treatment, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(data.observed.outcome, (std::vector<double>{1, 0}));
  EXPECT_EQ(column(data, "x"), (std::vector<double>{1, 0}));
  EXPECT_EQ(data.columns[2].kind, "indicator");
}

TEST(LoadTable, TextIsACategoryWithAllItsLevels) {
  const LoadedData data = load_table(forty([](int i) {
    return i < 20    ? "south"
           : i < 37  ? " north"
           : i == 37 ? "east"
           : i == 38 ? "west"
                     : "\"far, far\"";
  }));
  EXPECT_EQ(data.observed.features.names, (Names{"x=north", "x=south", "x=(other)"}));
  EXPECT_EQ(data.observed.features.num_dense, 3U);
  EXPECT_EQ(column(data, "x=north")[20], 1);
  EXPECT_EQ(column(data, "x=(other)")[39], 1);
  EXPECT_EQ(column(data, "x=(other)")[20], 0);
}

TEST(LoadTable, NumbersAreCodesWhereTheUserSaysSo) {
  const LoadedData data =
      load_table(forty([](int i) { return std::to_string(i % 3 * 10); }), {.categories = {"x"}});
  EXPECT_EQ(data.observed.features.names, (Names{"x=0", "x=10", "x=20"}));
}

TEST(LoadTable, TextThatIsNotACategoryIsRefusedWithAHint) {
  const auto fault = [](const auto& cell) { return first_fault(forty(cell)); };
  EXPECT_NE(fault([](int i) { return fmt::format("\"{},5\"", i); }).find("decimal point"),
            std::string::npos);
  EXPECT_NE(fault([](int i) { return fmt::format("{}%", i); }).find("percentages"),
            std::string::npos);
  EXPECT_NE(fault([](int i) { return fmt::format("${}", i); }).find("without a currency sign"),
            std::string::npos);
  EXPECT_NE(fault([](int i) { return fmt::format("2020-01-{:02}", i % 28 + 1); }).find("a date"),
            std::string::npos);
  EXPECT_NE(fault([](int i) { return fmt::format("unit {}", i); }).find("--ignore x"),
            std::string::npos);
  const std::string mixed = fault([](int i) { return i == 7 ? "unknown" : std::to_string(i); });
  EXPECT_TRUE(mixed.starts_with("nodes.csv:9, column x: 'unknown' is not a number (1 of 40 lines"))
      << mixed;
  EXPECT_NE(mixed.find("--categories x"), std::string::npos);
}

TEST(LoadTable, MissingFeaturesAreIndicatedByMeanAndColumn) {
  const std::string text = "treatment,outcome,x\n0,1,NA\n1,2,4\n0,3,\n1,1,8\n0,2,6\n";
  const LoadedData data = load_table(text, {.missing = MissingPolicy::kIndicate});
  EXPECT_EQ(data.observed.features.names, (Names{"x", "x=(missing)"}));
  EXPECT_EQ(column(data, "x"), (std::vector<double>{6, 4, 6, 8, 6}));
  EXPECT_EQ(column(data, "x=(missing)"), (std::vector<double>{1, 0, 1, 0, 0}));
  const LoadedData dropped = load_table(text, {.missing = MissingPolicy::kDrop});
  EXPECT_EQ(column(dropped, "x"), (std::vector<double>{4, 8, 6}));
  EXPECT_TRUE(has_note(dropped, "dropped 2 lines that lack"));
}

TEST(LoadTable, AMissingCategoryIsALevel) {
  const LoadedData data = load_table(forty([](int i) {
                                       return i % 4 == 0 ? "NA" : i % 4 == 1 ? "a" : "b";
                                     }),
                                     {.missing = MissingPolicy::kIndicate});
  EXPECT_EQ(data.observed.features.names, (Names{"x=a", "x=b", "x=(missing)"}));
  EXPECT_EQ(column(data, "x=(missing)")[4], 1);
}

TEST(LoadTable, LinesWithoutAnOutcomeAreLeftOutWithTheirEdges) {
  const MemoryFiles files(
      {{"nodes.csv", "id,treatment,outcome,x\na,0,1,2\nb,1,NA,9\nc,1,3,\nd,0,4,6\n"},
       {"edges.csv", "from,to\na,b\nc,d\nb,d\n"}});
  const LoadedData data =
      load_dataset(Context({.threads = 2}), files, {.missing = MissingPolicy::kIndicate});
  EXPECT_EQ(data.observed.num_nodes(), 3U);
  EXPECT_EQ(data.observed.ids[1], "c");
  EXPECT_EQ(column(data, "x"), (std::vector<double>{2, 4, 6}));  // the mean of those that stay
  EXPECT_EQ(data.observed.graph.num_edges(), 1U);
  EXPECT_TRUE(has_note(data, "dropped 1 line that lacks"));
  const testing::TemporaryFolder folder;
  const auto path = folder.write("p.csv", "id,p\na,0.1\nb,0.2\nc,0.3\nd,0.4\n");
  const PolicyTable policy = load_policy_table(Context({.threads = 1}), path, data.observed);
  EXPECT_EQ(arm_column(policy.probabilities[0].view(), 1), (std::vector<double>{0.1, 0.3, 0.4}));
}

TEST(LoadTable, UsualNamesOfTheEndsOfAnEdge) {
  for (const char* header : {"from,to", "SRC,DST", "node1,node2", "i,j", "Ego,Alter"}) {
    const MemoryFiles files({{"nodes.csv", "id,treatment,outcome\na,0,1\nb,1,2\n"},
                             {"edges.csv", std::string(header) + "\na,b\n"}});
    EXPECT_EQ(load_dataset(Context({.threads = 1}), files).observed.graph.num_edges(), 1U)
        << header;
  }
  const MemoryFiles weighted({{"nodes.csv", "id,treatment,outcome\na,0,1\nb,1,2\n"},
                              {"edges.csv", "source,target,Weight\na,b,0.5\n"}});
  EXPECT_TRUE(has_note(load_dataset(Context({.threads = 1}), weighted), "edges are unweighted"));
}

TEST(LoadTable, AFeatureThatIsTheOutcomeOrTheTreatmentIsRefused) {
  const auto with = [](const auto& cell) {
    return forty([&](int i) { return fmt::format("{}", cell(i)); });
  };
  EXPECT_EQ(first_fault(with([](int i) { return i * i % 7; })),
            "nodes.csv, column x: the feature is a copy of the outcome; leave it out with --ignore "
            "x");
  EXPECT_EQ(first_fault(with([](int i) { return 1 + i % 2; })),
            "nodes.csv, column x: the feature is a copy of the treatment; leave it out with "
            "--ignore x");
  EXPECT_TRUE(has_note(load_table(with([](int i) { return 1e6 + 2.5 * (i * i % 7); })),
                       "predicts the outcome almost perfectly"));
  EXPECT_TRUE(has_note(load_table(with([](int) { return 3.5; })), "constant over all nodes"));
  EXPECT_TRUE(
      has_note(load_table(with([](int i) { return i + 1; })), "line numbers used as a feature"));
  EXPECT_FALSE(has_note(load_table(with([](int i) { return i * 5 % 11; })), "feature"));
}

TEST(LoadTable, TrueOutcomesThatContradictTheObservedOnesAreNoted) {
  EXPECT_TRUE(has_note(load_table("treatment,outcome,y0,y1\n0,1,1,2\n1,2,1,5\n"),
                       "the outcome of 1 of 2 nodes (first '2')"));
  EXPECT_TRUE(has_note(load_table("treatment,outcome,y0,y1\n0,1,2,1\n1,2,2,5\n"), "swapped"));
  EXPECT_FALSE(has_note(load_table("treatment,outcome,y0,y1\n0,1,1,2\n1,2,1,2\n"), "y0"));
}

/// 40 lines: treatment, outcome, and a function f of both.
template <class F>
std::string table_with(const F& f) {
  std::string text = "treatment,outcome,x\n";
  for (int i = 0; i < 40; ++i) {
    const int t = i * 7 % 5 < 2 ? 1 : 0;
    const double y = 1 + i * 11 % 40 + 0.25 * t;
    text += fmt::format("{},{},{}\n", t, y, f(t, y, i));
  }
  return text;
}

TEST(LoadTable, AFeatureInTheOrderOfTheOutcomeIsWarnedOf) {
  const auto doubted = [](const std::string& table) {
    return has_note(load_table(table), "orders the nodes exactly as the outcome does");
  };
  EXPECT_TRUE(doubted(table_with([](int, double y, int) { return std::log(y); })));
  EXPECT_TRUE(doubted(table_with([](int, double y, int) { return -std::exp(y / 5); })));
  EXPECT_TRUE(doubted(table_with([](int, double y, int) { return y > 20 ? 1 : 0; })));
  EXPECT_TRUE(doubted(table_with([](int, double y, int) { return std::floor(y / 8); })));
  EXPECT_FALSE(doubted(table_with([](int, double, int i) { return i * 17 % 40; })));
  EXPECT_FALSE(doubted(table_with([](int, double y, int) { return y > 38 ? 1 : 0; })));  // rare
  // Monotone in a binary outcome, but neither determines the other.
  std::string text = "treatment,outcome,x\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{},{},{}\n", i % 2, i / 2 % 2, i / 2 % 2 * (i % 3 == 0));
  EXPECT_FALSE(doubted(text));
}

TEST(LoadTable, AFeatureThatSeparatesTheArmsIsWarnedOf) {
  const auto doubted = [](const std::string& table) {
    return has_note(load_table(table), "separates the two arms perfectly");
  };
  EXPECT_TRUE(doubted(table_with([](int t, double, int i) { return t * (5 + i % 7); })));
  EXPECT_FALSE(doubted(table_with([](int t, double, int i) { return t * (i % 7); })));
}

TEST(LoadTable, ColumnsThatOnlyShareTheNamesOfTrueOutcomesAreRefused) {
  std::string text = "treatment,outcome,y0,y1\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{},{},{}\n", i % 2, i, 30 + i % 3, 12);
  EXPECT_NE(first_fault(text).find("y0 and y1 are read as the true outcomes"), std::string::npos);
}

TEST(LoadTable, ASingleCountFeatureIsWarnedOf) {
  EXPECT_TRUE(has_note(load_table("treatment,outcome,x\n0,1,5\n1,2,6\n", {.counts = {"x"}}),
                       "x is the only count feature"));
}

TEST(LoadTable, AColumnNamedAsAFeatureIsOneWhateverItsName) {
  EXPECT_EQ(load_table("treatment,outcome,y0\n0,1,3\n1,2,4\n", {.features = {"y0"}})
                .observed.features.names,
            Names{"y0"});
}

TEST(LoadTable, OtherFormatsAreRefusedWithTheLineThatConvertsThem) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"a.dta", "a.xlsx", "a.parquet", "a.sav"}) {
    const auto path = folder.write(name, "x");
    const auto faults = faults_of([&] { load_dataset(Context({.threads = 1}), path); });
    EXPECT_NE(faults.at(0).find("to_csv('a.csv', index=False)"), std::string::npos) << faults[0];
  }
}

TEST(LoadTable, KindsDoNotDependOnThreadsOrChunks) {
  std::string text = "treatment,outcome,a,b,c\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{},{},{},{},{}\n", i % 2, i * i % 11,
                        i % 7 == 0 ? "NA" : std::to_string(i * 0.1), i % 3 == 0 ? "red" : "blue",
                        i % 5 == 0   ? ""
                        : i % 5 == 1 ? "TRUE"
                                     : "false");
  }
  LoadOptions options{.missing = MissingPolicy::kIndicate};
  const std::string expected = load_table(text, options, 1).observed.checksum();
  for (const std::size_t chunk_bytes : {1, 17, 200}) {
    for (const int threads : {1, 3}) {
      options.csv.chunk_bytes = chunk_bytes;
      EXPECT_EQ(load_table(text, options, threads).observed.checksum(), expected);
    }
  }
}

LoadOptions keeping(const std::string& name, bool is_optional = false) {
  LoadOptions options;
  options.kept = {{name, "--cost", is_optional}};
  return options;
}

TEST(LoadTable, AColumnThatAnOptionNamesIsKeptAndNotAFeature) {
  const std::string text = "treatment,outcome,price,x\n0,1,0.5,3\n1,2,0.7,4\n";
  const LoadedData plain = load_table(text);
  EXPECT_EQ(plain.observed.features.names, (Names{"price", "x"}));
  EXPECT_TRUE(plain.observed.kept.empty());
  for (LoadOptions options : {keeping("price"), keeping("price", true)}) {
    if (options.kept[0].is_optional) options.ignore = {"price"};  // else it stays a feature
    const LoadedData data = load_table(text, options);
    EXPECT_EQ(data.observed.features.names, Names{"x"});
    ASSERT_NE(data.observed.find_kept("price"), nullptr);
    EXPECT_EQ(data.observed.find_kept("price")->values, (std::vector<double>{0.5, 0.7}));
    EXPECT_EQ(data.columns[2].role, "kept");
    // Models do not see it.
    LoadOptions without;
    without.ignore = {"price"};
    EXPECT_EQ(data.observed.checksum(), load_table(text, without).observed.checksum());
  }
  const LoadedData feature = load_table(text, keeping("price", true));
  EXPECT_EQ(feature.observed.features.names, (Names{"price", "x"}));
  EXPECT_EQ(feature.observed.find_kept("price"), nullptr);
  EXPECT_EQ(load_table(text, keeping("prize", true)).observed.features.names.size(), 2U);
}

TEST(LoadTable, FaultsOfKeptColumnsHaveALocation) {
  EXPECT_EQ(first_fault("treatment,outcome,price\n0,1,2\n1,2,3\n", keeping("prise")),
            "nodes.csv:1: has no column 'prise', named by --cost; did you mean price?");
  EXPECT_EQ(first_fault("treatment,outcome,x\n0,1,2\n1,2,3\n", keeping("outcome")),
            "nodes.csv:1, column outcome: has another role, so --cost cannot use it; name another "
            "column");
  EXPECT_NE(first_fault("treatment,outcome,price\n0,1,2\n1,2,dear\n", keeping("price"))
                .find("nodes.csv:3, column price"),
            std::string::npos);
  EXPECT_NE(first_fault("treatment,outcome,price\n0,1,\n1,2,3\n", keeping("price"))
                .find("nodes.csv:2, column price"),
            std::string::npos);
}

TEST(LoadTable, LinesThatAreLeftOutAreMissingInKeptColumnsToo) {
  LoadOptions options = keeping("price");
  options.missing = MissingPolicy::kDrop;
  const LoadedData data =
      load_table("treatment,outcome,price,x\n0,1,5,1\n1,2,6,\n0,3,,2\n1,4,8,3\n", options);
  EXPECT_EQ(data.observed.find_kept("price")->values, (std::vector<double>{5, 8}));
}

}  // namespace
}  // namespace cone
