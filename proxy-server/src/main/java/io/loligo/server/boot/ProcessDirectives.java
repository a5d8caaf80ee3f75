package io.loligo.server.boot;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import org.jspecify.annotations.Nullable;

/** Directives of the process: its log, its pid file and its end. */
public final class ProcessDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("The process");

  private static final long MOST_REHEARSAL_MILLIS = 60_000;

  /** {@code cache_log}: path of the log of the process. */
  public static final Setting<String> CACHE_LOG =
      FEATURE
          .path("cache_log", "./var/log/cache.log")
          .squid("/var/log/squid/cache.log", "nothing is written outside ./var")
          .text("The log of the proxy itself.");

  /** {@code debug_options}: how much it contains. */
  public static final Setting<String> DEBUG_OPTIONS =
      FEATURE
          .lines("debug_options", "SECTION,LEVEL...", DebugOptionLines::new)
          .defaultText("ALL,1")
          .difference("the level of ALL chooses warn, info or debug; sections are ignored")
          .text("How much cache_log contains.");

  /** {@code pid_filename}: null: none. */
  public static final Setting<@Nullable String> PID_FILENAME =
      FEATURE
          .path("pid_filename", "none")
          .squid("/run/squid.pid", "the service unit knows the process")
          .as(path -> path.equals("none") ? null : path)
          .text("The file for the process id. none: no file.");

  /** {@code loligo_takeover_socket}: a path or {@code none}; empty: beside pid_filename. */
  public static final Setting<String> TAKEOVER_SOCKET =
      FEATURE
          .path("loligo_takeover_socket", "")
          .or(reading -> "")
          .form("FILE|none")
          .text(
              "The Unix socket at which another process takes over the listening ports of this one"
                  + " (loligo upgrade). Only the proxy's own user and root can connect. The default"
                  + " is pid_filename with .takeover appended; without pid_filename there is"
                  + " none.");

  /** {@code loligo_shutdown_delay}: milliseconds. */
  public static final Setting<Long> SHUTDOWN_DELAY =
      FEATURE
          .millis("loligo_shutdown_delay", "0 seconds")
          .text(
              "How long the proxy still accepts connections after it was told to stop,"
                  + " while /health/ready already fails. A load balancer can use this time to"
                  + " choose another server.");

  /** {@code shutdown_lifetime}: milliseconds. */
  public static final Setting<Long> SHUTDOWN_LIFETIME =
      FEATURE
          .millis("shutdown_lifetime", "30 seconds")
          .text("How long requests in progress may continue when the proxy stops.");

  /** {@code loligo_tunnel_shutdown_lifetime}: milliseconds; null: as shutdown_lifetime. */
  public static final Setting<@Nullable Long> TUNNEL_SHUTDOWN_LIFETIME =
      FEATURE
          .millis("loligo_tunnel_shutdown_lifetime", "")
          .text(
              "How long tunnels (CONNECT, WebSocket) may continue when the proxy stops."
                  + " The default is shutdown_lifetime.");

  /** {@code loligo_reload_on_change}: milliseconds between two looks; 0: none. */
  static final Setting<Long> RELOAD_ON_CHANGE =
      FEATURE
          .millis("loligo_reload_on_change", "0 seconds")
          .text(
              "How often the proxy looks whether a file of its configuration has changed: the file"
                  + " itself, those that it includes, files of ACL values, and error pages. It"
                  + " reloads when two looks find the same change. 0: never.");

  /** {@code loligo_rehearsal}: milliseconds; 0: none. */
  static final Setting<Long> REHEARSAL =
      FEATURE
          .millis("loligo_rehearsal", "0 seconds")
          .range(0, MOST_REHEARSAL_MILLIS)
          .restart("a process rehearses before its ports are open")
          .text(
              "How long a starting process may rehearse before it opens its ports: it sends itself"
                  + " hits, misses, validations and tunnels through a private copy of the proxy,"
                  + " with memory, disk and log of its own, until the JVM has compiled the code."
                  + " The first clients then find a process that is warm. It ends earlier if there"
                  + " is nothing left to compile, and it takes all cores meanwhile. A process that"
                  + " takes over (loligo upgrade) rehearses while the old one serves. 0: none.");

  private ProcessDirectives() {}
}
