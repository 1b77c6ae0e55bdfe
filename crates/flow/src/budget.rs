/// What a command may use, handed down from the edge of the program.
///
/// `threads` bounds all threads of the process that compute, the calling one
/// included. `memory` bounds the large buffers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    threads: usize,
    memory: u64,
}

impl Budget {
    /// Threads that a user may ask for: more than any machine has cores are a slip. Each has buffers of its own.
    pub const MOST_THREADS: usize = 1024;

    /// Memory that ordered output may hold unless told otherwise: 1 GiB.
    pub const DEFAULT_MEMORY: u64 = 1 << 30;

    /// A budget of `threads` threads (at least one) and the default memory.
    pub fn new(threads: usize) -> Self {
        Self {
            threads: threads.max(1),
            memory: Self::DEFAULT_MEMORY,
        }
    }

    /// One thread for each core that this process may run on.
    pub fn all_cores() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The same threads with `memory` bytes for large buffers.
    pub fn with_memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Number of threads, at least one.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Bytes for large buffers.
    pub fn memory(&self) -> u64 {
        self.memory
    }
}
