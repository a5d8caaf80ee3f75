package io.loligo.server.peer.htcp;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers the questions that neighbours ask by HTCP. Confined to the event loop of the port. */
public interface HtcpDesk {
  /** Whether {@code from} may ask anything at all. */
  boolean mayAsk(InetSocketAddress from);

  /**
   * The request that a message is about.
   *
   * @param fields lines of its head, each with its end
   * @return null if it is not one that a port would accept
   */
  @Nullable Subject subject(InetSocketAddress from, String method, String url, String fields);

  /**
   * Notes a message.
   *
   * @param operation as logged in the place of the method
   * @param about null: nothing that could be read
   * @param url null: none could be read
   */
  void note(
      InetSocketAddress from,
      String operation,
      @Nullable String url,
      @Nullable Subject about,
      HtcpOutcome outcome);

  /** A request that a neighbour asks about. */
  interface Subject {
    /** Whether {@code htcp_access} allows the question. */
    boolean mayTest();

    /** Whether {@code htcp_clr_access} allows the removal. */
    boolean mayClear();

    /**
     * Looks for a stored response that would answer it now.
     *
     * @param then told on the loop, never before this returns; null: there is none
     */
    void test(Consumer<@Nullable HtcpDetail> then);

    /**
     * Removes all responses stored for its URL.
     *
     * @param then told on the loop
     */
    void clear(Consumer<Cleared> then);
  }

  /** The outcome of a removal, in the order of the response codes. */
  enum Cleared {
    /** They are gone. */
    GONE,
    /** They are stored and may still be used, or may be again after a restart. */
    KEPT,
    /** Nothing was stored. */
    ABSENT
  }
}
