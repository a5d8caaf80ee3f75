package io.loligo.server.hook;

import io.loligo.core.message.FieldLines;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hooks of an application. A hook must not block: it runs on the event loop of the exchange. If
 * it throws, the request gets 500, and the log a line. Immutable; any thread.
 *
 * @param access decides about requests; null: none
 * @param request changes the fields of requests that are sent on, but not of CONNECT; null: none
 * @param response changes the fields of responses to clients; null: none
 * @param finished takes finished exchanges, after the metrics; null: none
 */
public record Hooks(
    @Nullable AccessHook access,
    @Nullable FieldHook request,
    @Nullable FieldHook response,
    @Nullable ExchangeSink finished) {
  private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);

  /** No hook at all. */
  public static final Hooks NONE = new Hooks(null, null, null, null);

  /**
   * Whether {@code access} allows {@code asked}; null: it does not decide.
   *
   * @throws HookFailure if it fails
   */
  public static @Nullable Boolean allows(AccessHook access, HookedRequest asked) {
    try {
      return access.allows(asked);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      throw failure("an access rule", e);
    }
  }

  /**
   * Lets {@code hook} change {@code lines}.
   *
   * @param status 0: a request
   * @throws HookFailure if it fails
   */
  public static void edit(FieldHook hook, HookedRequest asked, int status, FieldLines lines) {
    try {
      hook.edit(asked, status, lines);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      throw failure(status == 0 ? "a request hook" : "a response hook", e);
    }
  }

  private static HookFailure failure(String hook, Throwable cause) {
    LOG.error("{} failed: the client gets 500; next: correct the application", hook, cause);
    return new HookFailure(hook, cause);
  }

  /**
   * {@code sink}, and then {@link #finished}, whose failure has no effect but a line in the log.
   */
  public ExchangeSink behind(ExchangeSink sink) {
    ExchangeSink observer = finished;
    return observer == null ? sink : sink.then(record -> tell(observer, record));
  }

  private static void tell(ExchangeSink observer, ExchangeRecord record) {
    try {
      observer.finished(record);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      LOG.error("an observer of exchanges failed; next: correct the application", e);
    }
  }
}
