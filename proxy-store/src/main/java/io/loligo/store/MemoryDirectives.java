package io.loligo.store;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of the memory tier and of bytes in transit. */
public final class MemoryDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Memory");

  /** {@code cache_mem}: bytes. */
  public static final Setting<Long> CACHE_MEM =
      FEATURE
          .bytes("cache_mem", "256 MB")
          .difference("holds stored responses only; bytes in transit have a budget of their own")
          .text(
              "Memory for stored responses, off the Java heap. The default is lower where"
                  + " the machine, the container or the JVM has less memory; the log reports it"
                  + " at the start. A line that does not fit is an error. A reload changes the"
                  + " size; a lower one evicts in the background.");

  /** {@code maximum_object_size_in_memory}: bytes. */
  public static final Setting<Long> MAXIMUM_OBJECT_SIZE_IN_MEMORY =
      FEATURE
          .bytes("maximum_object_size_in_memory", "512 KB")
          .text("Larger responses are not kept in the memory tier.");

  /** {@code loligo_transit_memory}: bytes. */
  public static final Setting<Long> TRANSIT_MEMORY =
      FEATURE
          .bytes("loligo_transit_memory", "128 MB")
          .range(1 << 20, Long.MAX_VALUE)
          .text(
              "Memory for bytes in transit: responses that arrive, uploads, tunnels, and"
                  + " bytes that clients send ahead. Reads become small when a quarter is left."
                  + " When little is left, new fetches and tunnels get 503. The default is lower"
                  + " where memory is short, like that of cache_mem. A reload changes the size; a"
                  + " line that does not fit fails it.");

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
