#include <limits>

#include <gtest/gtest.h>

#include "cone/record.hpp"

#include "results/text_table.hpp"

namespace cone {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Estimate plain(const std::string& name) {
  Estimate e;
  e.estimator = name;
  e.value = 12.34567;
  e.standard_error = 0.1234;
  e.sampling_interval = {12.1, 12.6};
  e.effective_sample_size = 1234.4;
  e.max_weight = 3.21;
  e.clipped_fraction = 0.0123;
  e.mean_weight = 1;
  e.off_support_fraction = 0;
  return e;
}

Estimate without_error(const std::string& name) {
  Estimate e = plain(name);
  e.standard_error = kNone;
  e.sampling_interval = {kNone, kNone};
  e.effective_sample_size.reset();
  e.max_weight.reset();
  e.mean_weight = 0.69;
  e.off_support_fraction = 0.31;
  e.status = EstimateStatus::kCaution;
  e.warnings = {"no standard error", "overlap fails"};
  return e;
}

Estimate undefined(const std::string& name) {
  Estimate e;
  e.estimator = name;
  e.value = e.standard_error = kNone;
  e.sampling_interval = {kNone, kNone};
  e.effective_sample_size = 0;
  e.max_weight = 0;
  e.status = EstimateStatus::kUndefined;
  e.warnings = {"no value"};
  return e;
}

EvaluationRecord made_up_record() {
  EvaluationRecord record;
  record.config = {{"target", "population"}};
  PolicyResult with_truth{.name = "spring campaign", .treated_fraction = 0.5, .truth = 12};
  with_truth.estimates = {plain("snips"), without_error("dm_nn"),
                          without_error("a_rather_long_name"), undefined("ips")};
  PolicyResult without_truth{.name = "tab\there", .treated_fraction = 1};
  without_truth.estimates = {plain("snips"), plain("dr_ridge")};
  record.policies = {with_truth, without_truth};
  record.data.arms = {{"0", 30}, {"1", 12}};
  record.diagnostics.warnings = {"said once for the run"};
  return record;
}

TEST(EvaluationText, IsThisText) {
  EXPECT_EQ(evaluation_text(made_up_record()),
            R"(policy spring campaign  (treats 50.0 % of the nodes)   true value 12.000

estimator            value   error  std. error           95 % CI    ESS  max weight  clipped  mean weight  off support
-------------------------------------------------------------------------------------------------------------------------
snips               12.346  +0.346       0.123  [12.100, 12.600]  1,234        3.21    1.2 %         1.00        0.0 %
dm_nn               12.346  +0.346           -                 -      -           -        -        0.690       31.0 %  !
a_rather_long_name  12.346  +0.346           -                 -      -           -        -        0.690       31.0 %  !
ips                      -       -           -                 -      0           0    0.0 %            -            -  !
  ! no standard error (dm_nn, a_rather_long_name)
  ! overlap fails (dm_nn, a_rather_long_name)
  ! no value (ips)

policy tab\x09here  (treats 100.0 % of the nodes)

estimator   value  std. error           95 % CI    ESS  max weight  clipped  mean weight  off support
-------------------------------------------------------------------------------------------------------
snips      12.346       0.123  [12.100, 12.600]  1,234        3.21    1.2 %         1.00        0.0 %
dr_ridge   12.346       0.123  [12.100, 12.600]  1,234        3.21    1.2 %         1.00        0.0 %

Standard errors and intervals are for the population. Intervals cover sampling error and smoothing bias; the bias of unmeasured confounding may be larger.
! said once for the run
)");
}

TEST(EvaluationText, ATruthStandsBesideTheIntervalForTheSample) {
  EvaluationRecord record = made_up_record();
  record.policies[0].estimates[0].sample_sampling_interval = {12.3, 12.4};
  const std::string text = evaluation_text(record);
  EXPECT_NE(text.find("95 % CI    for the sample"), std::string::npos) << text;
  EXPECT_NE(text.find("[12.100, 12.600]  [12.300, 12.400]"), std::string::npos) << text;
}

TEST(EvaluationText, ATableHasOneTarget) {
  EvaluationRecord record = made_up_record();
  for (Estimate& e : record.policies[1].estimates) e.target = Target::kSample;
  record.policies = {record.policies[1]};
  record.config["target"] = "sample";
  std::vector<Estimate>& estimates = record.policies[0].estimates;
  estimates[0].target = Target::kPopulation;  // snips
  estimates.push_back(plain("ips"));
  estimates.push_back(plain("dm_ridge"));
  estimates.push_back(without_error("dm_nn"));  // no standard error for any target
  const auto row = [&](const std::string& text, const std::string& name) {
    const std::size_t begin = text.find("\n" + name + " ") + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  std::string text = evaluation_text(record);
  EXPECT_NE(row(text, "dr_ridge").find("[12.100, 12.600]"), std::string::npos) << text;
  for (const char* name : {"snips", "ips", "dm_ridge", "dm_nn"}) {
    EXPECT_NE(row(text, name).find(" 12.346 "), std::string::npos) << text;
    EXPECT_EQ(row(text, name).find("0.123"), std::string::npos) << text;
    EXPECT_EQ(row(text, name).find('['), std::string::npos) << text;
  }
  const std::string reason =
      "\n  snips, ips: no outcome model, so no standard error for the sample; --target population "
      "has one\n  dm_ridge: no standard error for the sample; --target population has one\n";
  EXPECT_NE(text.find(reason), std::string::npos) << text;
  EXPECT_NE(text.find("\nStandard errors and intervals are for the sample. "), std::string::npos);

  for (Estimate& e : estimates) e.target = Target::kPopulation;
  record.config["target"] = "population";
  text = evaluation_text(record);
  EXPECT_NE(row(text, "snips").find("[12.100, 12.600]"), std::string::npos) << text;
  EXPECT_EQ(text.find("has one"), std::string::npos) << text;
  EXPECT_EQ(to_json(record)["policies"][0]["estimates"][0]["standard_error"], 0.1234);
}

TEST(EvaluationText, NamesTheArmsWhereTheyHaveNames) {
  EvaluationRecord record;
  record.data.arms = {{"none", 30}, {"email", 12}, {"sms", 9}};
  PolicyResult policy{.name = "p", .treated_fraction = 0.25, .arm_fractions = {0.75, 0.2, 0.05}};
  policy.estimates = {plain("snips")};
  record.policies = {policy};
  const std::string text = evaluation_text(record);
  EXPECT_EQ(text.substr(0, text.find('\n')), "policy p  (none 75.0 %, email 20.0 %, sms 5.0 %)");
}

TEST(EvaluationText, ShowsSmallErrorsWithThreeDigitsAndLargeOnesWithoutDecimals) {
  const auto shown = [](double value, double standard_error) {
    EvaluationRecord record;
    record.config = {{"target", "population"}};
    PolicyResult policy{.name = "p"};
    policy.estimates = {plain("snips")};
    policy.estimates[0].value = value;
    policy.estimates[0].standard_error = standard_error;
    record.policies = {policy};
    return evaluation_text(record);
  };
  EXPECT_NE(shown(1.23456789, 0.000123).find(" 1.234568 "), std::string::npos);
  EXPECT_NE(shown(123456.7, 2345).find(" 123457 "), std::string::npos);
  EXPECT_NE(shown(1.23456789, kNone).find(" 1.2346 "), std::string::npos) << "no error to go by";
  EXPECT_NE(shown(3e-18, kNone).find(" 0.0000 "), std::string::npos) << "rounding of 0";
  EXPECT_NE(shown(0.000123456, kNone).find(" 0.0001235 "), std::string::npos);
  EXPECT_NE(shown(1.23456789, 1e-17).find(" 1.2346 "), std::string::npos) << "rounding";
}

TEST(TextTable, MeasuresCharactersAndNotBytes) {
  TextTable table({{"name", TextTable::Align::kLeft}, {"µ"}});
  table.add_row({"żółw", "1"});
  table.add_row({"ox", "10.5"});
  EXPECT_EQ(table.to_string(),
            "name     µ\n"
            "----------\n"
            "żółw     1\n"
            "ox    10.5\n");
}

}  // namespace
}  // namespace cone
