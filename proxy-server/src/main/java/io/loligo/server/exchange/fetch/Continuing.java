package io.loligo.server.exchange.fetch;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Completion;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.upstream.FetchFailure;
import org.jspecify.annotations.Nullable;

/**
 * A response that breaks off and is continued with requests for its rest, as one response ({@code
 * loligo_resume_fetches}). Confined to the fetch's event loop.
 */
final class Continuing {
  private int left;

  /** The rest that is requested, or arrives; null: the response has not broken off. */
  private @Nullable Completion rest;

  /** Why the response broke off last; null: the head of the rest has arrived. */
  private @Nullable FetchFailure brokeOff;

  /** {@code most} times. */
  Continuing(int most) {
    left = most;
  }

  /**
   * {@code loligo_resume_fetches} times; adapted responses have no such rest.
   *
   * @param ofNode whether the response comes from another node of the cluster: then it is continued
   *     at least once, since without the cluster it would not have passed that node
   */
  static Continuing of(LoopServices services, boolean ofNode) {
    int most = Math.max(services.settings.fetches.mostResumptions, ofNode ? 1 : 0);
    return new Continuing(services.adaptations == null ? most : 0);
  }

  /**
   * The rest of a response that would be requested if the response broke off now; null: none.
   *
   * @param head of the response; null: none has arrived
   * @param received bytes of content
   * @param announced bytes of the whole content; -1: unknown
   */
  @Nullable Completion missing(
      Request request, @Nullable ResponseHead head, long received, long announced) {
    return left == 0
            || head == null
            || request.head().methodId() != Method.GET
            || ContentLength.hasContent(request.contentLength())
        ? null
        : Completion.ofRest(head, received, announced);
  }

  /**
   * Whether the rest of a response is requested now, because it broke off.
   *
   * @param head of the response; null: none has arrived
   * @param received bytes of content
   * @param announced bytes of the whole content; -1: unknown
   */
  boolean begins(
      FetchFailure failure,
      Request request,
      @Nullable ResponseHead head,
      long received,
      long announced) {
    if (failure.kind() != FetchFailure.Kind.TRUNCATED) {
      return false;
    }
    Completion missing = missing(request, head, received, announced);
    if (missing == null) {
      return false;
    }
    left--;
    rest = missing;
    brokeOff = failure;
    return true;
  }

  /** Whether the rest is requested, and its head has not arrived. */
  boolean isAsking() {
    return brokeOff != null;
  }

  /** Whether a rest is requested, or arrives. */
  boolean isOfRest() {
    return rest != null;
  }

  /** The fields that request the rest. */
  Conditions conditions() {
    assert rest != null : "it has broken off";
    return Conditions.completing(rest, 0);
  }

  /**
   * Takes the head of the response to the request for the rest. Null if it is the rest; else why
   * the response is not complete.
   *
   * @param contentLength bytes of its content; -1: unknown
   */
  @Nullable FetchFailure arrived(ResponseHead reply, long contentLength) {
    assert rest != null : "it has broken off";
    if (!rest.isContinuedBy(reply, contentLength, 0)) {
      return brokeOff;
    }
    brokeOff = null;
    return null;
  }

  /** Why the response is not complete: {@code failure} is that of the request for the rest. */
  FetchFailure cause(FetchFailure failure) {
    return brokeOff == null ? failure : brokeOff;
  }
}
