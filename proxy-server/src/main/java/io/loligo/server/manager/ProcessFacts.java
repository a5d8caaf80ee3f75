package io.loligo.server.manager;

/**
 * The process at one moment. Immutable.
 *
 * @param version of Loligo
 * @param startMillis when it started, in milliseconds since the epoch
 * @param cpuNanos processor time so far; 0: unknown
 * @param pageFaults page faults that read from a disk, so far; 0 if unknown
 * @param loopPolls how often all event loops have asked the system for I/O
 * @param maxResidentBytes the most memory that it had; 0: unknown
 * @param memoryBytes heap and direct memory in use
 * @param buffers of the allocator
 * @param descriptors files and sockets
 * @param clientAddresses addresses of clients with an open connection
 */
public record ProcessFacts(
    String version,
    long startMillis,
    long cpuNanos,
    long pageFaults,
    long loopPolls,
    long maxResidentBytes,
    long memoryBytes,
    Buffers buffers,
    Descriptors descriptors,
    int clientAddresses) {
  /**
   * Buffers of direct memory that did not come from a thread's cache, so far; 0: unknown.
   *
   * @param allocated buffers
   * @param freed those of them that are no longer in use
   */
  public record Buffers(long allocated, long freed) {}

  /**
   * Open files and sockets.
   *
   * @param limit the most there may be
   * @param open how many there are
   * @param largest the largest number of one; 0: unknown
   * @param reserved how many of them no connection of a client takes
   * @param disk how many of the open ones are files of directories
   */
  public record Descriptors(long limit, long open, long largest, long reserved, long disk) {}
}
