package io.loligo.server.exchange.join;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.answer.FailureAnswer;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.upstream.FetchFailure;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a fetch, for the requests that waited for it. Of the origin's response it has the
 * status and Retry-After only, because the rest may be meant for one client. Immutable.
 *
 * @param status the status of the responses to them
 * @param errorCode Squid's ERR_ name
 * @param text for the reader
 * @param detail for the operator
 * @param retryAfter as the origin gave it, or null
 * @param answered whether the status is the origin's
 * @param blame the possible cause
 */
record FailedFetch(
    int status,
    String errorCode,
    String text,
    String detail,
    @Nullable String retryAfter,
    boolean answered,
    Blame blame) {

  /** Possible causes of a failure. */
  enum Blame {
    /** The origin: no byte of the request was sent, so that it is the same for every request. */
    ORIGIN,
    /** The origin or the request: the origin had the request, and may fail for its content. */
    REQUEST_OR_ORIGIN,
    /** The rules for this client. */
    CLIENT
  }

  /**
   * Whether the waiting requests get the failure as their response.
   *
   * @param reason in words for the log
   */
  record Sharing(boolean shared, String reason) {}

  private static final int REQUESTS_THAT_PROVE = 2;

  /** A head that is larger by more than this, {@value} bytes, may have failed for its size. */
  static final int MAX_EXCESS_BYTES = 1_024;

  /** Fields that the proxy sets itself, or that no origin fails for. */
  private static final FieldSet OF_NO_MATTER =
      FieldSet.of(
          FieldName.HOST,
          FieldName.CONNECTION,
          FieldName.KEEP_ALIVE,
          FieldName.PROXY_CONNECTION,
          FieldName.PROXY_AUTHORIZATION,
          FieldName.TE,
          FieldName.CACHE_CONTROL,
          FieldName.PRAGMA,
          FieldName.VIA,
          FieldName.X_FORWARDED_FOR);

  private static final int MAX_RETRY_AFTER = 64;

  /** The origin answered {@code reply}, a 5xx that is not stored. */
  static FailedFetch answered(ResponseHead reply) {
    String retryAfter = reply.fields().get(FieldName.RETRY_AFTER);
    return new FailedFetch(
        reply.status(),
        "ERR_ORIGIN_FAILED",
        "The origin sent this error to other clients' requests for the same URL.",
        "status " + reply.status() + " to another",
        retryAfter == null || retryAfter.length() > MAX_RETRY_AFTER ? null : retryAfter,
        true,
        Blame.REQUEST_OR_ORIGIN);
  }

  /** No response came in the time that one request waits for the fetch of another. */
  static FailedFetch overdue() {
    return of(
        new FetchFailure(
            FetchFailure.Kind.READ_TIMEOUT, "no answer to another within loligo_collapsed_wait"));
  }

  /** No response came. */
  static FailedFetch of(FetchFailure failure) {
    FetchFailure.Kind kind = failure.kind();
    Blame blame =
        switch (kind) {
          case DNS_FAILED,
              LOGIN_FAILED,
              CONNECT_FAILED,
              CONNECT_TIMEOUT,
              SECURE_CONNECT_TIMEOUT,
              NOT_PROCESSED,
              NO_MEMORY,
              NOT_ACKNOWLEDGED,
              NO_FALL_BACK,
              OVERLOADED ->
              Blame.ORIGIN;
          // sslproxy_cert_error may tolerate it for others
          case SECURE_CONNECT_FAILED -> Blame.REQUEST_OR_ORIGIN;
          case NO_ANSWER,
              HTTP_1_REQUIRED,
              READ_TIMEOUT,
              WRITE_FAILED,
              INVALID_RESPONSE,
              HEAD_TOO_LARGE,
              TRUNCATED ->
              Blame.REQUEST_OR_ORIGIN;
          case NO_ROUTE,
              ADDRESS_DENIED,
              LENGTH_REQUIRED,
              REQUEST_HEAD_TOO_LARGE,
              TUNNEL_REFUSED,
              ADAPTATION_FAILED,
              HOOK_FAILED ->
              Blame.CLIENT;
        };
    return new FailedFetch(
        kind.status(),
        kind.errorCode(),
        FailureAnswer.text(failure),
        failure.detail(),
        FailureAnswer.isOverload(failure) ? Refusal.RETRY_SECONDS : null,
        false,
        blame);
  }

  /**
   * Whether this failure of {@code sent} is one that {@code waiting} would meet: each possible
   * cause in the one request is in the other, too. Pure.
   *
   * @param replaced fields of {@code sent} that the origin did not get as they are
   */
  boolean saysOf(RequestHead waiting, RequestHead sent, FieldSet replaced) {
    return switch (blame) {
      case ORIGIN -> true;
      case CLIENT -> false;
      case REQUEST_OR_ORIGIN ->
          sent.end() <= waiting.end() + MAX_EXCESS_BYTES
              && hasSameTarget(waiting, sent)
              && hasAllOf(waiting.fields(), sent.fields(), OF_NO_MATTER.and(replaced));
    };
  }

  /** Requests may share a key of which a part of the query is left out. */
  private static boolean hasSameTarget(RequestHead one, RequestHead other) {
    return Arrays.equals(
        one.bytes(),
        one.targetStart(),
        one.targetEnd(),
        other.bytes(),
        other.targetStart(),
        other.targetEnd());
  }

  private static boolean hasAllOf(Fields fields, Fields others, FieldSet but) {
    for (int i = 0; i < others.count(); i++) {
      if (!but.has(others.id(i)) && !has(fields, others, i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean has(Fields fields, Fields others, int i) {
    int id = others.id(i);
    return id == FieldName.OTHER ? fields.next(others.name(i), 0) >= 0 : fields.has(id);
  }

  /**
   * Whether a waiting request gets this failure. Pure.
   *
   * @param met fetches that failed while it waited, and that {@linkplain #saysOf it would meet},
   *     this one included if it does
   */
  Sharing sharing(int met) {
    return switch (blame) {
      case ORIGIN -> new Sharing(true, "no request had been sent");
      case REQUEST_OR_ORIGIN ->
          met >= REQUESTS_THAT_PROVE
              ? new Sharing(true, "two requests without anything that this one has not met it")
              : new Sharing(false, "something in the request that met it may be the cause");
      case CLIENT -> new Sharing(false, "the rules may be others for other clients");
    };
  }

  void addRetryAfter(FieldLines lines) {
    if (retryAfter != null) {
      lines.add("Retry-After", retryAfter);
    }
  }
}
