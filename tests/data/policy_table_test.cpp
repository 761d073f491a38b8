// Files of policies for any number of arms.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/load.hpp"

#include "data/dataset_folder.hpp"

namespace cone {
namespace {

using Names = std::vector<std::string>;
using Values = std::vector<double>;

Dataset three_units(Names arms) {
  Dataset data;
  for (const char* id : {"ann", "bob", "eve"}) data.ids.insert(id);
  data.arms = std::move(arms);
  return data;
}

PolicyTable read_policies(const Names& arms, const std::string& text,
                          std::size_t chunk_bytes = 1000) {
  const Context context({.threads = 2});
  return load_policy_table(context, "policy.csv", ByteSource::of_bytes(text, "policy.csv"),
                           three_units(arms), {.chunk_bytes = chunk_bytes});
}

Names policy_faults(const Names& arms, const std::string& text) {
  return testing::faults_of([&] { read_policies(arms, text); });
}

const Names kMessages = {"control", "email", "sms"};

TEST(PolicyTable, AColumnPerArm) {
  const std::string text =
      "id,spring:sms,fall:email,spring:email,fall:sms,fall:control\n"
      "eve,0.5,0.25,0.25,0.25,0.5\nann,0,0,0,0,1\nbob,1,0.5,0,0.5,0\n";
  for (const std::size_t chunk_bytes : {1, 1000}) {
    const PolicyTable table = read_policies(kMessages, text, chunk_bytes);
    EXPECT_EQ(table.names, (Names{"spring", "fall"}));
    EXPECT_EQ(arm_column(table.probabilities[0].view(), 0), (Values{1, 0, 0.25}));
    EXPECT_EQ(arm_column(table.probabilities[0].view(), 1), (Values{0, 0, 0.25}));
    EXPECT_EQ(arm_column(table.probabilities[0].view(), 2), (Values{0, 1, 0.5}));
    EXPECT_EQ(arm_column(table.probabilities[1].view(), 1), (Values{0, 0.5, 0.25}));
  }
}

TEST(PolicyTable, TheControlArmAloneIsRefusedWhereItsNameIsZero) {
  const Names arms = {"0", "1"};
  EXPECT_EQ(policy_faults(arms, "id,p:0\nann,0.3\nbob,0.3\neve,0.3\n"),
            (Names{"policy.csv:1, column p:0: is ambiguous: the probability of arm 0, or of arm 1 "
                   "under a policy of this name; write p:1, or both p:0 and p:1"}));
  const PolicyTable named = read_policies(arms, "id,random-weights:0\nann,0.3\nbob,1\neve,0\n");
  EXPECT_EQ(arm_column(named.probabilities[0].view(), 1), (Values{0.3, 1, 0}));
  const PolicyTable both = read_policies(arms, "id,p:0,p:1\nann,0.3,0.7\nbob,1,0\neve,0,1\n");
  EXPECT_EQ(arm_column(both.probabilities[0].view(), 1), (Values{0.7, 0, 1}));
}

TEST(PolicyTable, AColumnOfLabels) {
  const PolicyTable table = read_policies(kMessages, "id,who\nann,sms\nbob,Control\neve, sms \n");
  EXPECT_EQ(arm_column(table.probabilities[0].view(), 2), (Values{1, 0, 1}));
  EXPECT_EQ(arm_column(table.probabilities[0].view(), 0), (Values{0, 1, 0}));
  const PolicyTable yes = read_policies({"no", "yes"}, "id,a,b\nann,yes,1\nbob,no,0.5\neve,no,0\n");
  EXPECT_EQ(arm_column(yes.probabilities[0].view(), 1), (Values{1, 0, 0}));
  EXPECT_EQ(arm_column(yes.probabilities[1].view(), 1), (Values{1, 0.5, 0}));
  const PolicyTable coded = read_policies({"0", "1"}, "id,a\nann,True\nbob,FALSE\neve,1\n");
  EXPECT_EQ(arm_column(coded.probabilities[0].view(), 1), (Values{1, 0, 1}));
  const PolicyTable codes = read_policies({"1", "2"}, "id,a\nann,1\nbob,2\neve,2\n");
  EXPECT_EQ(arm_column(codes.probabilities[0].view(), 1), (Values{0, 1, 1}));
}

TEST(PolicyTable, TheNameOfAPolicyMayEndLikeALabel) {
  const PolicyTable table =
      read_policies({"0", "1"}, "id,random-weights:1\nann,0.5\nbob,0.25\neve,1\n");
  EXPECT_EQ(table.names, Names{"random-weights:1"});
  EXPECT_EQ(arm_column(table.probabilities[0].view(), 1), (Values{0.5, 0.25, 1}));
  const PolicyTable pair =
      read_policies({"0", "1"}, "id,p:1,p:0\nann,0.5,0.5\nbob,0.25,0.75\neve,1,0\n");
  EXPECT_EQ(pair.names, Names{"p"});
  EXPECT_EQ(arm_column(pair.probabilities[0].view(), 1), (Values{0.5, 0.25, 1}));
  const PolicyTable colons = read_policies({"0", "a:b"}, "id,x:y:a:b\nann,0.5\nbob,0.25\neve,1\n");
  EXPECT_EQ(colons.names, Names{"x:y"});
}

TEST(PolicyTable, WhatDoesNotFitTheArmsIsRefused) {
  const auto first = [](const Names& arms, const std::string& text) {
    const Names faults = policy_faults(arms, text);
    return faults.empty() ? "none" : faults[0];
  };
  EXPECT_EQ(first(kMessages, "id,who\nann,sms\nbob,post\neve,email\n"),
            "policy.csv:3, column who: 'post' is not an arm; the arms are 'control', 'email', "
            "'sms'");
  EXPECT_EQ(first(kMessages, "id,p\nann,0.5\nbob,0.5\neve,1\n"),
            "policy.csv:2, column p: '0.5' is not an arm; the arms are 'control', 'email', 'sms'; "
            "probabilities of more than two arms need columns name:LABEL");
  EXPECT_EQ(first(kMessages, "id,p:email\nann,0.5\nbob,0.5\neve,1\n"),
            "policy.csv:1: there is no column p:sms; give the probability of every arm; the "
            "control arm's may be omitted");
  EXPECT_EQ(first(kMessages, "id,p:email,p:sms\nann,0.5,0.5\nbob,0.5,0.75\neve,1,0\n"),
            "policy.csv:3, column p:email (bob): the probabilities of policy p add up to 1.25, "
            "more than 1; make the probabilities of all arms add up to 1");
  EXPECT_EQ(first({"1", "2"}, "id,p\nann,1\nbob,1\neve,1\n"),
            "policy.csv, column p: is ambiguous: labels, or probabilities of arm '2'; write one "
            "column per arm: p:1 and p:2");
  EXPECT_EQ(first({"no", "yes"}, "id,p\nann,yes\nbob,maybe\neve,no\n"),
            "policy.csv:3, column p: 'maybe' is not an arm; the arms are 'no', 'yes'");
  EXPECT_EQ(first({"0", "1"}, "id,p\nann,0.5\nbob,maybe\neve,1\n"),
            "policy.csv:3, column p (bob): 'maybe' is not a number; give a decimal number such as "
            "-1.5 or 2e-3");
}

}  // namespace
}  // namespace cone
