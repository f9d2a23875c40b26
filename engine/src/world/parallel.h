// The engine's only door to threads. Work is cut into blocks of fixed size by the caller, so that no result can depend
// on how many threads there are.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>

namespace throng {

// Threads that may run blocks at once in the calling thread's arena; worker numbers are below it.
std::size_t MaxWorkers();

// Calls run(block, worker) for all blocks in [begin, end) and returns when all are done. No two calls at once have the
// same worker number. Floating-point modes are set on each thread (fp_environment.h). With `threads` false all run on
// the calling thread, as worker 0. The calling thread takes up no work but these blocks while it waits.
void RunBlocks(std::size_t begin, std::size_t end, bool threads,
               absl::FunctionRef<void(std::size_t block, std::size_t worker)> run);

}  // namespace throng
