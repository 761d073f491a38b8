#include "evaluate/model_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "base/hash.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/fold_shape.hpp"
#include "cone_networks/small_fit.hpp"
#include "evaluate/model_envelope.hpp"
#include "nn/train.hpp"
#include "support/mutations.hpp"
#include "support/small_world.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

// Offsets in the fixed header (docs/model_format.md).
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kDataChecksumAt = 28;
constexpr std::size_t kNumArmsAt = 60;
constexpr std::size_t kFirstLabelAt = 64;
constexpr std::size_t kPlanAt = 74;  // after the labels "0" and "1"
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

class ModelFile : public ::testing::Test {
 protected:
  ModelFile() {
    write_model(folder.path() / "model", {.networks = fit});
    bytes = contents("model");
    plan_text = canonical_text(fit.plan);
    option_text = canonical_text(fit.options);
    parts_at = kPlanAt + 4 + plan_text.size();
    section_at = parts_at + 4;
    num_features_at = section_at + 8;
    num_folds_at = num_features_at + 8;
    options_at = num_folds_at + 4;
    tensors_at = options_at + 4 + option_text.size();
    const FoldShape shape(fit.shape(), fit.options);
    folds_at = bytes.size() - kChecksumDigits - 2 * shape.num_bytes();
    z_scale_at = folds_at + 16 + 4 * shape.encoder.size() + 4 * shape.num_columns;
    arms_at = z_scale_at + 4 * shape.num_columns;
    propensity_at = arms_at + 2 * (16 + 4 * shape.arm.size());
    training_at = propensity_at + 8 * (1 + shape.num_columns) + 8;
  }

  std::string contents(const std::string& name) const {
    std::ifstream in(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// "read", or the text of the Error(kData). Anything else fails the test.
  std::string outcome_of(const std::string& file) const {
    try {
      read_model(folder.write("hostile", file));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kData) << error.what();
      for (const Fault& fault : error.faults()) EXPECT_FALSE(fault.advice.empty());
      EXPECT_NE(std::string(error.what()).find("hostile"), std::string::npos) << error.what();
      return error.what();
    }
    return "read";
  }

  void expect_outcome(const std::string& file, const std::string& part) const {
    const std::string outcome = outcome_of(file);
    EXPECT_NE(outcome.find(part), std::string::npos) << outcome << "\nwithout: " << part;
  }

  /// Makes lengths and checksum consistent again, as an attacker would. The section begins later
  /// where the plan before it became longer.
  std::string sealed(std::string file, std::size_t plan_grew_by = 0) const {
    file.resize(file.size() - kChecksumDigits);
    const std::size_t length_at = section_at + plan_grew_by;
    if (file.size() >= length_at + 8) {
      put(file, length_at, static_cast<std::uint64_t>(file.size() - length_at - 8));
    }
    put(file, kLengthAt, static_cast<std::uint64_t>(file.size() + kChecksumDigits));
    return file + Checksum().add_bytes(file.data(), file.size()).hex();
  }
  static std::string with_checksum(std::string file) {
    file.resize(file.size() - kChecksumDigits);
    return file + Checksum().add_bytes(file.data(), file.size()).hex();
  }

  template <class T>
  static void put(std::string& file, std::size_t at, T value) {
    std::memcpy(file.data() + at, &value, sizeof value);
  }

  template <class T>
  void expect_after_putting(std::size_t at, T value, const std::string& part) const {
    std::string file = bytes;
    put(file, at, value);
    expect_outcome(sealed(file), part);
  }

  /// Replaces one piece of text in the file, and adjusts the lengths of option texts.
  void expect_after_replacing(const std::string& from, const std::string& to,
                              const std::string& part) const {
    std::string file = bytes;
    const std::size_t at = file.find(from);
    ASSERT_NE(at, std::string::npos);
    file.replace(at, from.size(), to);
    if (at < tensors_at) {
      const std::size_t length_at = at < options_at ? kPlanAt : options_at;
      const std::size_t length = at < options_at ? plan_text.size() : option_text.size();
      put(file, length_at, static_cast<std::uint32_t>(length + to.size() - from.size()));
    }
    expect_outcome(sealed(file, at < options_at ? to.size() - from.size() : 0), part);
  }

  testing::TemporaryFolder folder;
  ConeFit fit = testing::random_fit();
  std::string bytes, plan_text, option_text;
  // Where the parts after the fixed header begin; those of a fold, in the first one.
  std::size_t parts_at, section_at, num_features_at, num_folds_at;
  std::size_t options_at, tensors_at, folds_at, z_scale_at, arms_at, propensity_at, training_at;
};

TEST_F(ModelFile, GivesBackWhatWasWritten) {
  const FittedModel model = read_model(folder.path() / "model");
  EXPECT_FALSE(model.network_ridge);
  const ConeFit& read = model.networks.value();
  EXPECT_EQ(canonical_text(read.plan), plan_text);
  EXPECT_EQ(read.seed, fit.seed);
  EXPECT_EQ(read.data_checksum, fit.data_checksum);
  EXPECT_EQ(canonical_text(read.options), option_text);
  EXPECT_EQ(read.num_features, 7U);
  EXPECT_EQ(read.arms, fit.arms);
  ASSERT_EQ(read.folds.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const ConeFold& was = fit.folds[k];
    const ConeFold& is = read.folds[k];
    EXPECT_EQ(is.encoder.outcome_units.mean, was.encoder.outcome_units.mean);
    EXPECT_EQ(is.encoder.outcome_units.scale, was.encoder.outcome_units.scale);
    EXPECT_TRUE(
        std::ranges::equal(is.encoder.parameters.values(), was.encoder.parameters.values()));
    EXPECT_EQ(is.z_units.mean, was.z_units.mean);
    EXPECT_EQ(is.z_units.scale, was.z_units.scale);
    ASSERT_EQ(is.outcomes.size(), fit.arms.size());
    for (std::size_t a = 0; a < fit.arms.size(); ++a) {
      EXPECT_EQ(is.outcomes[a].units().mean, was.outcomes[a].units().mean);
      EXPECT_EQ(is.outcomes[a].units().scale, was.outcomes[a].units().scale);
      EXPECT_TRUE(std::ranges::equal(is.outcomes[a].parameters().values(),
                                     was.outcomes[a].parameters().values()));
    }
    EXPECT_EQ(is.propensity.intercepts, was.propensity.intercepts);
    EXPECT_TRUE(std::ranges::equal(is.propensity.coefficients.values(),
                                   was.propensity.coefficients.values()));
    EXPECT_EQ(is.propensity.converged, was.propensity.converged);
    EXPECT_EQ(is.propensity.iterations, was.propensity.iterations);
    EXPECT_EQ(is.training.status, was.training.status);
    EXPECT_EQ(is.training.epochs, was.training.epochs);
    EXPECT_EQ(is.training.best_epoch, was.training.best_epoch);
    EXPECT_EQ(is.training.encoder_head_mse, was.training.encoder_head_mse);
    EXPECT_EQ(is.training.treatment_head_loss, was.training.treatment_head_loss);
    EXPECT_EQ(is.training.arm_network_mse, was.training.arm_network_mse);
    EXPECT_EQ(is.training.propensity_loss, was.training.propensity_loss);
  }
  write_model(folder.path() / "again", model);
  EXPECT_EQ(contents("again"), bytes);
  EXPECT_EQ(model_checksum(model), bytes.substr(bytes.size() - kChecksumDigits));
  EXPECT_EQ(sealed(bytes), bytes) << "the tests below change the right bytes";
}

TEST_F(ModelFile, ListsTheTensorsThatAnOutcomeNetworkHas) {
  const auto expected = fit.folds[0].outcomes[0].parameters().layout();
  const nn::ParameterLayout listed = ArmNetwork::layout(16, 8);
  ASSERT_EQ(listed.tensors().size(), expected.tensors().size());
  for (std::size_t k = 0; k < listed.tensors().size(); ++k) {
    EXPECT_EQ(listed.tensors()[k].name, expected.tensors()[k].name);
    EXPECT_EQ(listed.tensors()[k].rows, expected.tensors()[k].rows);
    EXPECT_EQ(listed.tensors()[k].cols, expected.tensors()[k].cols);
  }
}

TEST_F(ModelFile, ThatIsDamagedByAccidentIsRefused) {
  expect_outcome("", "is not a cone model file");
  expect_outcome("id,treatment\n", "is not a cone model file");
  expect_outcome("CONEMODL", "ends before the format version");
  expect_outcome(bytes.substr(0, 15), "ends before the length of the file");
  std::string envelope = bytes.substr(0, 20);
  put(envelope, kLengthAt, std::uint64_t{20});
  expect_outcome(envelope, "ends before its checksum");
  expect_outcome(bytes.substr(0, bytes.size() - 1), "bytes long and is");
  expect_outcome(bytes + "x", "bytes long and is");
  std::string flipped = bytes;
  flipped[flipped.size() - 100] ^= 1;
  expect_outcome(flipped, "checksum does not match");
  flipped = bytes;
  flipped.back() ^= 1;
  expect_outcome(flipped, "checksum does not match");
}

TEST_F(ModelFile, ThatIsMissingOrAFolderIsRefused) {
  EXPECT_THROW(read_model(folder.path() / "nowhere"), Error);
  EXPECT_THROW(read_model(folder.path()), Error);
}

TEST_F(ModelFile, OfAnotherVersionIsRefusedWhateverFollows) {
  for (const auto& [version, part] :
       {std::pair{1U, "was written by an older version"},
        std::pair{3U, "was written by an older version"}, std::pair{5U, "by a newer version"}}) {
    std::string file = bytes;
    put(file, kVersionAt, std::uint32_t{version});
    expect_outcome(file, part);
    expect_outcome(sealed(file), part);
  }
  std::string old = bytes;
  put(old, kVersionAt, std::uint32_t{1});
  expect_outcome(old, "fit it again with cone fit");
}

TEST_F(ModelFile, OfManyArmsGivesBackWhatWasWritten) {
  const ConeFit many = testing::random_fit({"control", "email", "sms, twice", ""});
  write_model(folder.path() / "many", {.networks = many});
  const ConeFit read = read_model(folder.path() / "many").networks.value();
  EXPECT_EQ(read.arms, many.arms);
  ASSERT_EQ(read.folds[1].outcomes.size(), 4U);
  EXPECT_EQ(read.folds[1].propensity.intercepts, many.folds[1].propensity.intercepts);
  EXPECT_EQ(read.folds[1].outcomes[3].units().mean, many.folds[1].outcomes[3].units().mean);
  write_model(folder.path() / "again", {.networks = read});
  EXPECT_EQ(contents("again"), contents("many"));
}

TEST_F(ModelFile, WithInvalidArmsIsRefused) {
  expect_after_putting(kNumArmsAt, std::uint32_t{0}, "has 0 arms, and a model has 2 to 16");
  expect_after_putting(kNumArmsAt, std::uint32_t{1}, "has 1 arms");
  expect_after_putting(kNumArmsAt, ~std::uint32_t{0}, "has 4294967295 arms");
  expect_after_putting(kFirstLabelAt, ~std::uint32_t{0}, "the label of an arm: 4294967295 bytes");
  expect_after_putting(kFirstLabelAt + 4, '1', "two arms have the same label");
}

TEST_F(ModelFile, CutAnywhereWithTheRightChecksumIsRefused) {
  for (const std::size_t length :
       {std::size_t{20}, kDataChecksumAt + 3, kPlanAt + 2, kPlanAt + 9, parts_at + 1,
        section_at + 3, num_features_at + 1, num_folds_at, options_at + 1, tensors_at + 2,
        tensors_at + 30, folds_at, folds_at + 8, arms_at, propensity_at + 4,
        bytes.size() - kChecksumDigits - 4}) {
    EXPECT_NE(outcome_of(sealed(bytes.substr(0, length) + std::string(kChecksumDigits, '0'))),
              "read")
        << length;
  }
  std::string longer = bytes + "1234";
  expect_outcome(sealed(longer), "remaining bytes");
}

TEST_F(ModelFile, WithAbsurdSizesIsRefusedBeforeAllocation) {
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kLarge = std::numeric_limits<std::uint32_t>::max();
  expect_after_putting(num_features_at, kHuge, "number of features is implausible");
  expect_after_putting(num_features_at, std::uint64_t{1} << 31, "tensor layer1.weight is 7 x 16");
  expect_after_putting(num_folds_at, kLarge, "has 4294967295 folds and its plan makes 2");
  expect_after_putting(num_folds_at, std::uint32_t{0}, "has 0 folds and its plan makes 2");
  expect_after_putting(kPlanAt, kLarge, "4294967295 bytes of text, but at most 65536 are allowed");
  expect_after_putting(kPlanAt, std::uint32_t{65000}, "ends before the options of the plan");
  expect_after_putting(options_at, kLarge,
                       "4294967295 bytes of text, but at most 65536 are allowed");
  expect_after_putting(options_at, std::uint32_t{65000}, "ends before the options of the networks");
  expect_after_putting(tensors_at, kLarge, "has 4294967295 tensors where its options imply");
  expect_after_putting(tensors_at, std::uint32_t{3}, "has 3 tensors where its options imply");
  expect_after_putting(tensors_at + 4, kLarge, "name of a tensor: 4294967295 bytes of text");
  const std::size_t shape = tensors_at + 8 + std::string("layer1.weight").size();
  expect_after_putting(shape, kHuge, "must be 7 x 16");
  expect_after_putting(shape + 8, std::uint64_t{17}, "is 7 x 17 and must be 7 x 16");
}

/// All sizes in the file are consistent, and absurd.
TEST_F(ModelFile, WithConsistentHugeSizesIsRefusedBeforeAllocation) {
  std::string file = bytes;
  constexpr std::uint64_t kFeatures = std::uint64_t{1} << 32;
  put(file, num_features_at, kFeatures);
  put(file, tensors_at + 8 + std::string("layer1.weight").size(), kFeatures);
  expect_outcome(sealed(file), "remaining bytes");
}

TEST_F(ModelFile, WithoutPartsOrWithUnknownPartsIsRefused) {
  expect_after_putting(parts_at, std::uint32_t{0}, "the parts of the model are 0");
  expect_after_putting(parts_at, std::uint32_t{4}, "the parts of the model are 4");
  expect_after_putting(parts_at, ~std::uint32_t{0}, "the parts of the model are 4294967295");
  expect_after_putting(parts_at, std::uint32_t{3}, "ends before the length of the network ridge");
  expect_after_putting(parts_at, std::uint32_t{2}, "the options of the network ridge");
  std::string file = bytes;
  put(file, section_at, ~std::uint64_t{0});
  EXPECT_NE(outcome_of(with_checksum(file)).find("ends before the networks"), std::string::npos);
  put(file, section_at, std::uint64_t{10});
  EXPECT_NE(outcome_of(with_checksum(file)).find("ends before the number of folds"),
            std::string::npos);
}

TEST_F(ModelFile, WithInvalidOptionsIsRefused) {
  const std::string refused = "networks are not those of a model";
  expect_after_replacing("heads=2", "heads=two", refused);
  expect_after_replacing("heads=2", "heads=02", refused);
  expect_after_replacing("heads=2", "heads=-2", refused);
  expect_after_replacing("heads=2\n", "", refused);
  expect_after_replacing("heads=2\n", "heads=2\nheads=2\n", refused);
  expect_after_replacing("self_loops=true", "self_loops=yes", refused);
  expect_after_replacing("heads=2", "heads=0", "--heads is 0, must be between 1 and 256");
  expect_after_replacing("heads=2", "heads=4000000000", "--heads is 4000000000");
  expect_after_replacing("gamma=1", "gamma=nan", "--gamma is nan");
  expect_after_replacing("heads=2", "heads=3", "must be 7 x 24");
  expect_after_replacing("hidden=8", "hidden=9", "must be 8 x 9");
  expect_after_replacing("layers=2", "layers=8", "tensors where its options imply");
}

TEST_F(ModelFile, WithAnInvalidPlanIsRefused) {
  const std::string refused = "plan are not those of a model";
  expect_after_replacing("protocol=cross_fit", "protocol=cross_fitting", refused);
  expect_after_replacing("\nfolds=2", "\nfolds=2.0", refused);
  expect_after_replacing("\nfolds=2", "\nfolds=1", "--folds is 1, must be between 2 and 1000");
  expect_after_replacing("\nfolds=2", "\nfolds=3", "has 2 folds and its plan makes 3");
  expect_after_replacing("protocol=cross_fit", "protocol=split",
                         "has 2 folds and its plan makes 1");
  expect_after_replacing("validation_fraction=0.2", "validation_fraction=0.9",
                         "the options of the plan: ");
}

TEST_F(ModelFile, WithOtherTensorsOrNumbersIsRefused) {
  expect_after_replacing("layer1.bias", "layer1.bios",
                         "'layer1.bios' where layer1.bias is expected");
  expect_after_replacing("layer1.bias", std::string("layer1.b\0\x1bs", 11),
                         "where layer1.bias is expected");
  expect_after_replacing("output.bias1", "output.bias3",
                         "an outcome network has tensor 'output.bias3'");
  constexpr auto kInfinity = std::numeric_limits<double>::infinity();
  expect_after_putting(folds_at, kInfinity, "the mean outcome of the encoder: a number is not");
  expect_after_putting(folds_at + 8, 0.0,
                       "the scale of outcomes of the encoder: 0 is not positive");
  expect_after_putting(folds_at + 8, kInfinity, "the scale of outcomes of the encoder");
  expect_after_putting(folds_at + 16, kNotANumber,
                       "tensor layer1.weight of the encoder: a number is not");
  expect_after_putting(z_scale_at - 4, kNotANumber, "the means of the representations");
  expect_after_putting(z_scale_at, 0.0F, "a scale of the representations is not positive");
  expect_after_putting(z_scale_at, -1.0F, "a scale of the representations is not positive");
  expect_after_putting(z_scale_at, kNotANumber, "the scales of the representations");
  expect_after_putting(arms_at + 8, -1.0, "the scale of outcomes of the outcome network");
  expect_after_putting(arms_at + 16, std::numeric_limits<float>::infinity(),
                       "tensor hidden.weight of the outcome network of arm 0");
  expect_after_putting(propensity_at - 4, kNotANumber,
                       "output.bias1 of the outcome network of arm 1");
  expect_after_putting(propensity_at, kInfinity, "the intercepts of the propensity model");
  expect_after_putting(propensity_at + 8, kInfinity, "the coefficients of the propensity model");
  expect_after_putting(training_at - 8, std::uint32_t{2}, "neither 0 nor 1");
  expect_after_putting(training_at - 4, ~std::uint32_t{0},
                       "the propensity model's step count is invalid");
  expect_after_putting(training_at, std::uint32_t{3}, "3 is not a status of a training");
  expect_after_putting(training_at, ~std::uint32_t{0}, "4294967295 is not a status");
  expect_after_putting(training_at + 4, ~std::uint64_t{0}, "does not fit its options");
  expect_after_putting(training_at + 12, std::uint64_t{91}, "does not fit its options");
  expect_after_putting(training_at + 20, -0.1, "a loss of a training is negative");
  expect_after_putting(kDataChecksumAt, '/', "checksum of the data is not hexadecimal");
}

TEST_F(ModelFile, MutatedAnyhowIsReadOrRefusedWithAReason) {
  int num_read = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    std::string file = testing::mutate(bytes, number);
    if (number % 4 != 0 && file.size() > kPlanAt + kChecksumDigits) file = sealed(file);
    if (outcome_of(file) == "read") ++num_read;
  }
  EXPECT_GT(num_read, 0) << "other weights are as good as any";
  EXPECT_LT(num_read, 3000);
}

TEST_F(ModelFile, OfADivergedTrainingIsRead) {
  fit.folds[0].training.status = TrainingStatus::kDiverged;
  fit.folds[0].training.arm_network_mse = std::numeric_limits<double>::quiet_NaN();
  write_model(folder.path() / "diverged", {.networks = fit});
  EXPECT_EQ(read_model(folder.path() / "diverged").networks->folds[0].training.status,
            TrainingStatus::kDiverged);
}

TEST_F(ModelFile, GivesTheEstimatesOfTheFit) {
  const Dataset data = testing::small_world(80, 0.5, 1, 0).data.observed;
  const Context context({.seed = 5, .threads = 2});
  ConeOptions options = fit.options;
  options.epochs = 4;
  for (const Protocol protocol : {Protocol::kCrossFit, Protocol::kSplit}) {
    PlanOptions plan;
    plan.protocol = protocol;
    plan.folds = 2;
    const ConeFit fitted = fit_cone(context, data, plan, options);
    write_model(folder.path() / "fitted", {.networks = fitted});
    const ConeFit read = read_model(folder.path() / "fitted").networks.value();
    EXPECT_EQ(read.z.rows(), 0U) << "what follows encodes anew";
    const Nuisances was = testing::predict(context, data, fitted);
    const Nuisances is = testing::predict(Context({.threads = 1}), data, read);
    EXPECT_TRUE(std::ranges::equal(is.outcome->mu.values(), was.outcome->mu.values()));
    EXPECT_TRUE(std::ranges::equal(is.propensity->e.values(), was.propensity->e.values()));
  }
  EXPECT_THROW(redraw_plan_checked(context, data, fit), Error) << "fitted to other data";
}

TEST(ModelFileInputs, OfTheFuzzerAreModelsOfThisVersion) {
  // A change of the options leaves them behind: tests/fuzz/make_corpus.py writes them again.
  const std::filesystem::path inputs = CONE_SOURCE_DIR "/tests/fuzz/corpus/model";
  int num_read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(inputs)) {
    if (entry.path().filename().string().starts_with("find-")) continue;
    EXPECT_NO_THROW(read_model(entry.path())) << entry.path().filename();
    ++num_read;
  }
  EXPECT_GT(num_read, 0);
}

}  // namespace
}  // namespace cone
