// The schemas in docs/ are written from the lines of the records. CONE_WRITE_SCHEMAS=1 writes them.

#include "results/record_schema.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/evaluate.hpp"
#include "cone/load.hpp"

#include "results/evaluation_fields.hpp"
#include "results/policy_fields.hpp"
#include "results/sensitivity_fields.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// Objects and lists that fit in a line are written in one.
std::string schema_text(const Json& json, std::size_t indent = 0) {
  constexpr std::size_t kWidth = 200;
  if (!json.is_structured() || json.empty()) return json.dump();
  std::vector<std::string> parts;
  std::size_t width = indent;
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_object() ? Json(key).dump() + ": " : "";
    parts.push_back(name + schema_text(value, indent + 2));
    const bool has_lines = parts.back().find('\n') != std::string::npos;
    width += has_lines ? kWidth : parts.back().size() + 2;
  }
  const auto [open, close] = json.is_object() ? std::pair('{', '}') : std::pair('[', ']');
  if (width <= kWidth) return fmt::format("{}{}{}", open, fmt::join(parts, ", "), close);
  const std::string line = '\n' + std::string(indent, ' ');
  return fmt::format("{}{}  {}{}{}", open, line, fmt::join(parts, "," + line + "  "), line, close);
}

/// What the configuration of every record has beside its options.
constexpr std::string_view kConfig = R"({
  "policies": {"type": "array", "items": {"type": "string"}, "minItems": 1},
  "against": {"type": "string"},
  "seed": {"type": "integer", "minimum": 0},
  "data": {"type": "string"},
  "data_in_memory": {"const": true, "description": "The data was in memory: data is a name for it"},
  "policy_arguments": {"type": "array", "items": {"type": ["string", "null"]}, "description": "Built-in names and files as given; null for a policy that was in memory"},
  "model_file": {"type": "string", "description": "The model file as given"},
  "model": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "Checksum of the model file of --model"},
  "cost_checksum": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "Checksum of the columns that --cost names"},
  "learners": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Learners that a program added to the catalogue, each with its version"},
  "automatic": {
    "type": "object",
    "description": "Values that options set to auto took for this data",
    "additionalProperties": false,
    "properties": {
      "propensity_bound": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 0.5}, "description": "One per arm, the control arm first"},
      "clip": {"type": "number", "exclusiveMinimum": 0},
      "switch_threshold": {"type": "number", "exclusiveMinimum": 0}
    }
  }
})";

/// What the program adds to an evaluation's record.
constexpr std::string_view kAddedToEvaluation = R"({
  "network_sample": {
    "type": "object",
    "description": "Part of the network, for the figure of a report; only with --report",
    "additionalProperties": false,
    "required": ["coloured_by", "nodes", "edges"],
    "properties": {
      "coloured_by": {"enum": ["effect", "propensity", ""]},
      "nodes": {
        "type": "array",
        "items": {
          "type": "object",
          "additionalProperties": false,
          "required": ["x", "y", "group"],
          "properties": {
            "x": {"type": "integer", "minimum": 0, "maximum": 1000},
            "y": {"type": "integer", "minimum": 0, "maximum": 1000},
            "group": {"type": ["integer", "null"], "minimum": 0, "maximum": 4, "description": "Quintile among the nodes shown, 0 the lowest"},
            "id": {"type": "string", "description": "Only with --report-ids"}
          }
        }
      },
      "edges": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2}}
    }
  },
  "engine": {
    "type": "object",
    "description": "With --engine petsc: number of ranks, memory and communication",
    "additionalProperties": false,
    "required": ["name", "ranks"],
    "properties": {
      "name": {"const": "petsc"},
      "ranks": {"type": "integer", "minimum": 1},
      "largest_peak_bytes": {"type": "integer", "minimum": 0, "description": "Peak memory, maximum over ranks"},
      "sent_bytes": {"type": "integer", "minimum": 0, "description": "Sum over all ranks"},
      "exchanges_per_rank": {"type": "integer", "minimum": 0, "description": "Collective operations and exchanges, maximum over ranks"},
      "exchanging_seconds": {"type": "number", "minimum": 0, "description": "Time in collective operations and exchanges, waiting included; mean over ranks"},
      "largest_ghosts": {"type": "integer", "minimum": 0, "description": "Ghost rows (nodes of other ranks) of a rank, maximum over ranks"},
      "phases": {
        "type": "object",
        "description": "In order; loading is split into its parts",
        "additionalProperties": {
          "type": "object",
          "additionalProperties": false,
          "required": ["seconds", "largest_peak_bytes", "sent_bytes", "exchanges_per_rank", "exchanging_seconds"],
          "properties": {
            "seconds": {"type": "number", "minimum": 0, "description": "Maximum over ranks"},
            "largest_peak_bytes": {"type": "integer", "minimum": 0, "description": "Peak memory during the phase, maximum over ranks"},
            "sent_bytes": {"type": "integer", "minimum": 0},
            "exchanges_per_rank": {"type": "integer", "minimum": 0},
            "exchanging_seconds": {"type": "number", "minimum": 0}
          }
        }
      }
    }
  }
})";

constexpr std::string_view kTree = R"({
  "tree": {
    "oneOf": [
      {
        "description": "A leaf: all of its units get the arm",
        "type": "object",
        "additionalProperties": false,
        "required": ["arm", "num_nodes"],
        "properties": {"arm": {"type": "string"}, "num_nodes": {"type": "integer", "minimum": 0}}
      },
      {
        "description": "A split: column <= threshold?",
        "type": "object",
        "additionalProperties": false,
        "required": ["column", "threshold", "below", "above", "num_nodes", "yes", "no"],
        "properties": {
          "column": {"type": "string"},
          "threshold": {"type": "number"},
          "below": {"type": "number", "description": "Largest value of the column at or below the threshold"},
          "above": {"type": "number", "description": "Smallest value above it"},
          "num_nodes": {"type": "integer", "minimum": 0},
          "yes": {"$ref": "#/$defs/tree"},
          "no": {"$ref": "#/$defs/tree"}
        }
      }
    ]
  }
})";

/// Fills in the properties of `config`, of which `required` are always present.
template <class... Options>
void describe_config(Json required, Json& schema) {
  Json& config = schema["properties"]["config"];
  config["required"] = std::move(required);
  config["properties"] = Json::object();
  (config["properties"].update(option_properties<Options>()), ...);
  config["properties"].update(Json::parse(kConfig));
}

Json schema_with_head(std::string_view name, const char* title, Json schema) {
  const std::size_t slash = name.find('/');
  Json out = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"$id", fmt::format("urn:cone:{}:{}", name.substr(5, slash - 5), name.substr(slash + 1))},
      {"title", title}};
  out.update(schema);
  return out;
}

void expect_written(const std::string& name, const Json& schema) {
  const auto path = std::filesystem::path(CONE_SOURCE_DIR) / "docs" / (name + ".schema.json");
  const std::string text = schema_text(schema) + '\n';
  if (std::getenv("CONE_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text)
      << "written by CONE_WRITE_SCHEMAS=1 ctest -R RecordSchema";
}

TEST(RecordSchema, OfAnEvaluationIsInTheDocs) {
  Json schema = record_schema(EvaluationRecord());
  describe_config<EvaluateOptions, LoadOptions>(
      {"estimators", "policies", "seed", "data", "protocol", "nuisances"}, schema);
  schema["properties"]["config"]["properties"]["estimators"]["minItems"] = 1;
  schema["properties"].update(Json::parse(kAddedToEvaluation));
  expect_written(
      "evaluation",
      schema_with_head(kEvaluationSchema,
                       "The record of one evaluation, as written by cone evaluate --json", schema));
}

TEST(RecordSchema, OfALearntPolicyIsInTheDocs) {
  Json schema = record_schema(LearntPolicyRecord{{}, {}, {}});
  describe_config<LearnPolicyOptions>(
      {"depth", "min_leaf", "budget", "cost", "level", "dependence", "seed"}, schema);
  schema["$defs"] = Json::parse(kTree);
  expect_written(
      "policy",
      schema_with_head(kPolicySchema,
                       "A learnt policy and its value, as written by cone learn --json", schema));
}

TEST(RecordSchema, OfASensitivityAnalysisIsInTheDocs) {
  Json schema = record_schema(SensitivityRecord{{}, {}, {}});
  describe_config<SensitivityOptions, LoadOptions>({"policies", "against", "seed", "data"}, schema);
  expect_written(
      "sensitivity",
      schema_with_head(
          kSensitivitySchema,
          "Sensitivity to unmeasured confounding, as written by cone sensitivity --json", schema));
}

TEST(RecordSchema, FollowsTheRulesOfALine) {
  const Json schema = SchemaLines::object([](SchemaLines& line) {
    line("share", 0.5, "Of all", between(0, 1));
    line("error", 0.5, or_null(at_least(0)));
    line("value", 0.5);
    line("truth", std::optional<double>(), if_any());
    line("ranks", std::optional<std::pair<int, int>>(), or_null(at_least(1)));
    line(
        "sentence", [] { return std::string(); }, only_if(false));
  });
  EXPECT_EQ(schema["required"], Json::parse(R"(["share", "error", "value", "ranks"])"));
  EXPECT_EQ(schema["properties"], Json::parse(R"({
    "share": {"type": "number", "minimum": 0, "maximum": 1, "description": "Of all"},
    "error": {"type": ["number", "null"], "minimum": 0},
    "value": {"type": ["number", "null"]},
    "truth": {"type": ["number", "null"]},
    "ranks": {"type": "array", "items": {"type": ["integer", "null"], "minimum": 1}, "minItems": 2, "maxItems": 2},
    "sentence": {"type": "string"}})"));
  EXPECT_EQ(schema["additionalProperties"], false);
}

TEST(RecordJson, FollowsTheRulesOfALine) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::string, double>> parts = {{"b", 1}, {"a", kMissing}};
  const Json json = JsonLines::object([&](JsonLines& line) {
    line("error", kMissing);
    line("interval", std::optional<std::pair<double, double>>());
    line("truth", std::optional<double>(), if_any());
    line("none", std::optional<double>());
    line("parts", parts);
    line("empty", std::vector<double>(), if_any());
    line("left_out", 1, only_if(false));
    line("each", each(parts, [](const auto& part, auto& lines) { lines("of", part.first); }));
  });
  EXPECT_EQ(json.dump(),
            R"({"error":null,"interval":[null,null],"none":null,"parts":{"b":1.0,"a":null},)"
            R"("each":[{"of":"b"},{"of":"a"}]})");
}

}  // namespace
}  // namespace cone
