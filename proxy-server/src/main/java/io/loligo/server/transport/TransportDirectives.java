package io.loligo.server.transport;

import io.loligo.core.config.Feature;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Directives of event loops, sockets and buffers. */
public final class TransportDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Event loops");

  private static final String PER_LOOP =
      "open connections, counters and memory belong to an event loop and cannot move to another";

  /** {@code workers}: null: not given. */
  public static final Setting<@Nullable Integer> WORKERS =
      FEATURE
          .number("workers", "")
          .raised()
          .range(0, 1024)
          .restart(PER_LOOP)
          .squid("1", "one process with one event loop per core shares one cache")
          .difference("the number of event loops; without a line there is one for each core")
          .text("Threads that serve connections. loligo_event_loops takes precedence.");

  /** {@code loligo_event_loops}: 0: one for each core. */
  public static final Setting<Integer> EVENT_LOOPS =
      FEATURE
          .number("loligo_event_loops", "0")
          .range(0, 1024)
          .restart(PER_LOOP)
          .text("Threads that serve connections. 0: one for each core.");

  /** {@code loligo_transport}: auto, epoll, io_uring or nio. */
  public static final Setting<String> TRANSPORT =
      FEATURE
          .word("loligo_transport", "auto", "auto", "epoll", "io_uring", "nio")
          .restart("an open socket belongs to the transport that opened it")
          .text(
              "How sockets are driven. auto: epoll where the system has it, or else nio. io_uring:"
                  + " Linux is given the reads and writes of many connections with one system call."
                  + " A small memory hit then takes a tenth of the calls or less on a busy loop; a"
                  + " response of 64 KB costs a little more. Measure your own load first. It needs"
                  + " Linux 5.9 and, in a container, a seccomp profile that allows io_uring. If the"
                  + " system refuses epoll or io_uring by name, the start fails with the reason.");

  /** {@code loligo_allocator}: pooled or adaptive. */
  public static final Setting<String> ALLOCATOR =
      FEATURE
          .word("loligo_allocator", "pooled", "pooled", "adaptive")
          .restart("memory in use goes back to the allocator that gave it")
          .text("Which of Netty's allocators provides buffers.");

  private static final Logger LOG = LoggerFactory.getLogger(TransportDirectives.class);

  private TransportDirectives() {}

  private static boolean isLinux() {
    return System.getProperty("os.name").equals("Linux");
  }

  /**
   * The transport of {@code config}.
   *
   * @throws IOException if the system refuses the one that its line names, with the reason
   */
  public static Transport transport(ProxyConfig config) throws IOException {
    try {
      Transport chosen = Transport.choose(config.get(TRANSPORT), config.get(ALLOCATOR));
      Throwable refusal = Sockets.EPOLL.refusal();
      if (config.get(TRANSPORT).equals("auto") && refusal != null && isLinux()) {
        LOG.warn(
            "epoll cannot be used ({}): sockets are driven by the JDK, at a higher cost, without"
                + " intercept, tproxy and messages to systemd; next: let the process load libraries"
                + " from java.io.tmpdir (no noexec, not read-only), or name another folder with"
                + " -Dio.netty.native.workdir",
            Transport.reason(refusal));
      }
      return chosen;
    } catch (IllegalArgumentException e) {
      throw new IOException(
          config.source(TRANSPORT)
              + ": loligo_transport "
              + config.get(TRANSPORT)
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** The number of event loops. */
  public static int loops(ProxyConfig config) {
    Integer workers = config.get(WORKERS);
    int given =
        config.isGiven(EVENT_LOOPS) || workers == null
            ? config.get(EVENT_LOOPS)
            : Math.max(1, workers);
    return given > 0 ? given : Runtime.getRuntime().availableProcessors();
  }
}
