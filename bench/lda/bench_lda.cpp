#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ios>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/file.hpp"
#include "cone/simulate.hpp"

#include "simulate/topic_model.hpp"

// bench_lda COUNTS.csr TOPICS TOP_WORDS SEED THREADS [TOPIC_WORDS] prints one JSON object: the
// seconds of fitting, of scoring and of transforming, and the results. COUNTS.csr is written by
// run.py: rows, columns, entries (u64), then offsets (u64), columns (u32), values (f64).
// TOPIC_WORDS, where given, receives λ (topics × words, f64).
namespace {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  std::vector<T> take(std::uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) throw std::runtime_error("the file is too short");
    std::vector<T> out(count);
    std::memcpy(out.data(), bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
    return out;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

cone::SparseMatrix read_counts(const std::string& path) {
  const cone::MappedFile file(path);
  Reader reader(file.bytes());
  const auto sizes = reader.take<std::uint64_t>(3);
  auto offsets = reader.take<std::uint64_t>(sizes[0] + 1);
  auto columns = reader.take<std::uint32_t>(sizes[2]);
  auto values = reader.take<double>(sizes[2]);
  if (!reader.at_end()) throw std::runtime_error("the file is too long");
  return {sizes[1], std::move(offsets), std::move(columns), std::move(values)};
}

template <class Body>
double seconds_of(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double mean_largest_share(const cone::Matrix<double>& topics) {
  double total = 0;
  for (std::size_t i = 0; i < topics.rows(); ++i) {
    double largest = 0;
    for (const double share : topics.row(i)) largest = std::max(largest, share);
    total += largest;
  }
  return total / static_cast<double>(topics.rows());
}

// λ, topics × words, for scoring by others.
void write_topic_words(const cone::TopicModel& model, const std::string& path) {
  cone::write_atomically(path, [&](std::ostream& out) {
    const auto topic_word = model.topic_word();
    out.write(reinterpret_cast<const char*>(topic_word.data()),
              static_cast<std::streamsize>(topic_word.rows() * topic_word.cols() * sizeof(double)));
  });
}

void run(int count, char** arguments) {
  const cone::SparseMatrix counts = read_counts(arguments[1]);
  cone::TopicModelOptions options;
  options.topics = std::stoi(arguments[2]);
  const std::size_t top_words = std::stoul(arguments[3]);
  const cone::Context context(
      {.seed = std::stoull(arguments[4]), .threads = std::stoi(arguments[5])});
  std::optional<cone::TopicModel> model;
  const double fit = seconds_of([&] { model = fit_topic_model(context, counts, options); });
  double perplexity = 0;
  const double score = seconds_of([&] { perplexity = model->perplexity(context, counts); });
  cone::Matrix<double> topics;
  const double transform = seconds_of([&] { topics = model->transform(context, counts); });
  if (count == 7) write_topic_words(*model, arguments[6]);
  std::cout << fmt::format(
      R"({{"fit_seconds": {}, "perplexity_seconds": {}, "transform_seconds": {}, )"
      R"("perplexity": {}, "union": {}, "mean_largest_share": {}}})"
      "\n",
      fit, score, transform, perplexity, model->union_of_top_words(top_words).size(),
      mean_largest_share(topics));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) {
    std::cerr << "usage: bench_lda COUNTS.csr TOPICS TOP_WORDS SEED THREADS [TOPIC_WORDS]\n";
    return 2;
  }
  try {
    run(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_lda: " << error.what() << "\n";
    return 1;
  }
}
