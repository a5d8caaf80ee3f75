package io.loligo;

import io.loligo.server.hook.AccessHook;
import io.loligo.server.hook.FieldHook;
import io.loligo.server.hook.Hooks;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a proxy before its start. Confined to the thread that calls {@link Loligo#start},
 * and without effect after it. A later call of a method replaces an earlier one, except for {@link
 * #line}, {@link #allow} and {@link #deny}.
 *
 * <p>Without any call, the proxy listens on a free port of 127.0.0.1, serves clients on this
 * machine, and has memory for 32 MB of stored responses, no log of requests, no admin port and an
 * event loop for each core.
 */
public final class LoligoConfig {
  private static final int MAX_PORT = 65_535;
  private static final int MAX_LOOPS = 1024;

  private final List<String> lines = new ArrayList<>();
  private String port = "http_port 127.0.0.1:0";
  private String memory = "cache_mem 32 MB";
  private String loops = "";
  private TimeSource time = TimeSource.SYSTEM;
  private final List<Rule> rules = new ArrayList<>();
  private @Nullable RequestHook requestHook;
  private @Nullable ResponseHook responseHook;
  private @Nullable ExchangeObserver observer;

  private record Rule(boolean allows, Predicate<RequestView> requests) {}

  LoligoConfig() {}

  /**
   * Listens on this port of 127.0.0.1. A line with {@code http_port} or {@code https_port} replaces
   * it.
   *
   * @param port 0: a free one
   * @throws IllegalArgumentException if there is no such port
   */
  public LoligoConfig port(int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port: " + port + " (expected: 0 to " + MAX_PORT + ")");
    }
    this.port = "http_port 127.0.0.1:" + port;
    return this;
  }

  /**
   * Sets the direct memory for stored responses.
   *
   * @throws IllegalArgumentException if it is negative; if the JVM has less, {@link Loligo#start}
   *     throws it
   */
  public LoligoConfig cacheMemory(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("cacheMemory: " + bytes + " (expected: >= 0)");
    }
    memory = "cache_mem " + bytes + " bytes";
    return this;
  }

  /**
   * Sets the number of threads that serve clients.
   *
   * @throws IllegalArgumentException if it is not from 1 to 1024
   */
  public LoligoConfig eventLoops(int count) {
    if (count < 1 || count > MAX_LOOPS) {
      throw new IllegalArgumentException(
          "eventLoops: " + count + " (expected: 1 to " + MAX_LOOPS + ")");
    }
    loops = "loligo_event_loops " + count;
    return this;
  }

  /**
   * Adds a line of {@code squid.conf}. All directives of {@code docs/reference/directives.md} are
   * possible, except that those of the process have no effect: {@code cache_log}, {@code
   * debug_options}, {@code pid_filename}, {@code loligo_history}. The first {@code http_access}
   * line replaces the default, which allows clients on this machine.
   *
   * @param line without a line end
   * @throws IllegalArgumentException if it has more than one line
   */
  public LoligoConfig line(String line) {
    if (line.indexOf('\n') >= 0 || line.indexOf('\r') >= 0) {
      throw new IllegalArgumentException("line: has a line end (expected: one line)");
    }
    lines.add(line);
    return this;
  }

  /**
   * Reckons the ages of stored responses and all dates by {@code clock}, which any thread may read.
   * Timeouts and durations stay those of the machine.
   */
  public LoligoConfig clock(InstantSource clock) {
    time =
        new TimeSource() {
          @Override
          public long millis() {
            return clock.millis();
          }

          @Override
          public long nanos() {
            return System.nanoTime();
          }
        };
    return this;
  }

  /**
   * Adds a rule: requests for which {@code requests} is true are allowed. Rules of {@link #allow}
   * and {@link #deny} are asked in their order, where {@code http_access} is, but before its lines.
   * The first rule that is true decides. If none is, the lines decide. Lines of {@code http_access}
   * that test the address of the destination still apply to each address.
   *
   * <p>A rule runs on an event loop and must not block: meanwhile the loop serves nobody. Several
   * loops may call it at the same time. It is asked again after the request has waited for a fact,
   * such as a login, and must give the same answer. If it throws, the client gets 500, and the log
   * has a line.
   */
  public LoligoConfig allow(Predicate<RequestView> requests) {
    rules.add(new Rule(true, requests));
    return this;
  }

  /** The same; the requests are denied: the client gets 403. */
  public LoligoConfig deny(Predicate<RequestView> requests) {
    rules.add(new Rule(false, requests));
    return this;
  }

  /** Changes the fields of requests to origins and parents. */
  public LoligoConfig onRequest(RequestHook hook) {
    requestHook = hook;
    return this;
  }

  /** Changes the fields of responses to clients. */
  public LoligoConfig onResponse(ResponseHook hook) {
    responseHook = hook;
    return this;
  }

  /** Sees finished exchanges. */
  public LoligoConfig onFinished(ExchangeObserver exchanges) {
    observer = exchanges;
    return this;
  }

  Hooks hooks() {
    return new Hooks(access(), request(), response(), finished());
  }

  private @Nullable AccessHook access() {
    List<Rule> all = List.copyOf(rules);
    if (all.isEmpty()) {
      return null;
    }
    return request -> {
      RequestView view = new RequestView(request);
      for (Rule rule : all) {
        if (rule.requests().test(view)) {
          return rule.allows();
        }
      }
      return null;
    };
  }

  private @Nullable FieldHook request() {
    RequestHook hook = requestHook;
    if (hook == null) {
      return null;
    }
    return (request, status, lines) -> {
      FieldEditor editor = new FieldEditor(lines);
      hook.edit(new RequestView(request), editor);
      editor.finish();
    };
  }

  private @Nullable FieldHook response() {
    ResponseHook hook = responseHook;
    if (hook == null) {
      return null;
    }
    return (request, status, lines) -> {
      FieldEditor editor = new FieldEditor(lines);
      hook.edit(new RequestView(request), status, editor);
      editor.finish();
    };
  }

  private @Nullable ExchangeSink finished() {
    ExchangeObserver told = observer;
    return told == null ? null : record -> told.finished(new Exchange(record));
  }

  TimeSource time() {
    return time;
  }

  /** The whole configuration: the defaults that no line replaces, then the lines. */
  String text() {
    List<String> all = new ArrayList<>();
    addUnlessGiven(all, port, "http_port", "https_port");
    addUnlessGiven(all, memory, "cache_mem");
    addUnlessGiven(all, loops, "loligo_event_loops", "workers");
    addUnlessGiven(all, "access_log none", "access_log");
    addUnlessGiven(all, "loligo_admin_port off", "loligo_admin_port");
    addUnlessGiven(all, "http_access allow localhost\nhttp_access deny all", "http_access");
    all.addAll(lines);
    return String.join("\n", all) + "\n";
  }

  private void addUnlessGiven(List<String> all, String line, String... directives) {
    boolean given =
        lines.stream()
            .map(one -> one.strip().split("\\s", 2)[0])
            .anyMatch(List.of(directives)::contains);
    if (!given && !line.isEmpty()) {
      all.add(line);
    }
  }
}
