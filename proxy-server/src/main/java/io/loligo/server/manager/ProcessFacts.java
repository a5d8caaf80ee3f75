package io.loligo.server.manager;

/**
 * The process at one moment. Immutable.
 *
 * @param version of Loligo
 * @param startMillis when it started, in milliseconds since the epoch
 * @param cpuNanos processor time so far; 0: unknown
 * @param pageFaults page faults that read from a disk, so far; 0 if unknown
 * @param maxResidentBytes the most memory that it had; 0: unknown
 * @param memoryBytes heap and direct memory in use
 * @param maxDescriptors limit of open files and sockets
 * @param openDescriptors open files and sockets
 * @param clientAddresses addresses of clients with an open connection
 */
public record ProcessFacts(
    String version,
    long startMillis,
    long cpuNanos,
    long pageFaults,
    long maxResidentBytes,
    long memoryBytes,
    long maxDescriptors,
    long openDescriptors,
    int clientAddresses) {}
