// The rival every C++ programmer would take: std::priority_queue of (priority, id), the workload of queues.bench.mjs.
// Usage: std-queue KEYS BATCH ROUNDS; prints nanoseconds of CPU per extracted and inserted key.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <utility>
#include <vector>

static int32_t state = 1;

static double uniform() {
  uint32_t x = static_cast<uint32_t>(state);
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  state = static_cast<int32_t>(x);
  return x / 4294967296.0;
}

static double cpuNs() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const size_t keys = std::strtoull(argv[1], nullptr, 10);
  const size_t batch = std::strtoull(argv[2], nullptr, 10);
  const size_t rounds = std::strtoull(argv[3], nullptr, 10);
  using Key = std::pair<double, uint32_t>;
  std::vector<Key> start(keys);
  for (size_t i = 0; i < keys; i++) start[i] = {uniform() * 9007199254740992.0, static_cast<uint32_t>(i)};
  std::priority_queue<Key> queue({}, std::move(start));
  std::vector<double> stream(rounds * batch);
  for (double& key : stream) key = uniform() * 9007199254740992.0;
  double sum = 0;
  const double before = cpuNs();
  for (size_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < batch; i++) {
      sum += queue.top().first;
      queue.pop();
    }
    for (size_t i = 0; i < batch; i++) queue.emplace(stream[round * batch + i], static_cast<uint32_t>(i));
  }
  const double ns = (cpuNs() - before) / (rounds * batch);
  std::printf("%.3f %g\n", ns, sum);
}
