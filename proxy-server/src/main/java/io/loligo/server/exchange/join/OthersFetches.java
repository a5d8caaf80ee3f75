package io.loligo.server.exchange.join;

import io.loligo.core.message.FieldSet;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.store.inflight.InFlight;
import org.jspecify.annotations.Nullable;

/**
 * The fetches of other requests that one request has waited for: the one it waits for, and how many
 * brought nothing for it. Confined to the client's event loop.
 */
final class OthersFetches {
  /** After so many fetches that brought nothing for it, a request goes alone. */
  private static final int MAX_LOOKS = 4;

  /**
   * A failure may be caused by a field that only the failed request has. So many of those are not
   * counted, so that a waiting request does not go alone before similar requests were tried.
   */
  private static final int MAX_ODD_FAILURES = 16;

  private @Nullable InFlight awaited;
  private @Nullable RequestHead head;
  private FieldSet replaced = FieldSet.NONE;
  private boolean waited;
  private int looks;

  /** Failures that this request would meet, too. */
  private int failuresMet;

  private int oddFailuresMet;

  /** The response that is waited for, or read along; null: none. */
  @Nullable InFlight awaited() {
    return awaited;
  }

  /** The head of the request that is or was waited for last; null: none was. */
  @Nullable RequestHead head() {
    return head;
  }

  /** Whether the request has waited for any. */
  boolean waited() {
    return waited;
  }

  /**
   * The request tried to join {@code running}.
   *
   * @param attached whether it was early enough
   */
  void joined(InFlight running, boolean attached) {
    awaited = attached ? running : null;
    head = ((Fetch) running.writer()).head();
    replaced = ((Fetch) running.writer()).replaced();
    waited |= attached;
  }

  /** None is waited for any more. */
  void left() {
    awaited = null;
  }

  /** Counts a fetch that brought nothing. Returns whether the request may join another one. */
  boolean looksAgain() {
    return looks++ < MAX_LOOKS;
  }

  /** Whether no fetch has been counted by {@link #looksAgain} so far. */
  boolean isFirstLook() {
    return looks == 0;
  }

  /** The request joins no other fetch. */
  void looksNoMore() {
    looks = MAX_LOOKS;
  }

  /**
   * The awaited one failed; whether {@code waiting} shares that as its response.
   *
   * @param overdue whether it took as long as one request waits
   */
  FailedFetch.Sharing failed(FailedFetch failed, RequestHead waiting, boolean overdue) {
    assert head != null : "one was waited for";
    boolean says = failed.saysOf(waiting, head, replaced);
    failuresMet += says ? 1 : 0;
    FailedFetch.Sharing sharing = failed.sharing(failuresMet);
    if (!sharing.shared() && !says && !overdue && ++oddFailuresMet <= MAX_ODD_FAILURES) {
      looks--;
    }
    return sharing;
  }
}
