package io.loligo.store;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of the memory tier and of bytes in transit. */
public final class MemoryDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Memory");

  /** {@code cache_mem} without a line, for a proxy that is a part of an application. */
  private static final long PART_CACHE_BYTES = 256L << 20;

  private static final long PART_TRANSIT_BYTES = 128L << 20;

  /** {@code cache_mem}: bytes. */
  public static final Setting<Long> CACHE_MEM =
      FEATURE
          .bytes("cache_mem", "")
          .or(reading -> PART_CACHE_BYTES)
          .squid(
              "256 MB", "one size is too small for a large machine, and too large for a container")
          .difference("holds stored responses only; bytes in transit have a budget of their own")
          .text(
              "Memory for stored responses, off the Java heap. The default is a quarter of the"
                  + " memory of the machine or container, 8 GB at most, or less where the JVM's"
                  + " limits or the other parts leave less; the log reports it at the start. In an"
                  + " application, it is 256 MB. A line that does not fit is an error. A reload"
                  + " changes the size; a lower one evicts in the background.");

  /** {@code maximum_object_size_in_memory}: bytes. */
  public static final Setting<Long> MAXIMUM_OBJECT_SIZE_IN_MEMORY =
      FEATURE
          .bytes("maximum_object_size_in_memory", "512 KB")
          .text("Larger responses are not kept in the memory tier.");

  /** {@code loligo_transit_memory}: bytes. */
  public static final Setting<Long> TRANSIT_MEMORY =
      FEATURE
          .bytes("loligo_transit_memory", "")
          .or(reading -> PART_TRANSIT_BYTES)
          .range(1 << 20, Long.MAX_VALUE)
          .text(
              "Memory for bytes in transit: responses that arrive, uploads, tunnels, and bytes that"
                  + " clients send ahead. Reads become small when a quarter is left. When little is"
                  + " left, new fetches and tunnels get 503. The default is 128 MB; from 4 GB of"
                  + " memory on it is a 32nd of the memory, up to 2 GB; below 1 GB it is an eighth."
                  + " In an application, it is 128 MB. Like that of cache_mem, it is lower where"
                  + " the other parts leave less. A reload changes the size; a line that does not"
                  + " fit fails it.");

  /** {@code loligo_stream_buffer_size}: bytes. */
  public static final Setting<Integer> STREAM_BUFFER_SIZE =
      FEATURE
          .bytes("loligo_stream_buffer_size", "64 KB")
          .range(4096, 16 << 20)
          .as(Math::toIntExact)
          .text(
              "Size of one read from or one write to a socket. Reads use 63/64 of a"
                  + " buffer of 64 KB or more, so that their content fits whole segments of the"
                  + " loopback interface.");

  /** {@code read_ahead_gap}: bytes. */
  public static final Setting<Long> READ_AHEAD_GAP =
      FEATURE
          .bytes("read_ahead_gap", "64 KB")
          .range(1, 1L << 30)
          .squid("16 KB", "socket reads of 64 KB cost a third less CPU per byte")
          .text("How far a fetch may run ahead of the client that reads it.");

  private MemoryDirectives() {}
}
