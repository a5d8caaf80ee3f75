package io.loligo.server.wire.conversation;

import java.util.List;

/**
 * A conversation between a client, the proxy and an origin, as it stands in a file of {@code
 * src/test/conversations} (the README there tells its form). Immutable.
 *
 * @param title the first comment
 * @param proxyLines further lines for the proxy's configuration
 * @param steps in order
 */
public record Conversation(String title, List<String> proxyLines, List<Step> steps) {
  /** What happens next. */
  public sealed interface Step permits Exchange, Pause {}

  /**
   * A request of the client and all it causes.
   *
   * @param request what the client sends
   * @param forward whether by the port that forwards, in absolute-form
   * @param fetches what the origin is asked, and answers
   * @param responses what the client gets, interim ones first
   */
  public record Exchange(
      Message request, boolean forward, List<Fetch> fetches, List<Message> responses)
      implements Step {}

  /**
   * A request to the origin.
   *
   * @param expected what is expected of it, or null
   * @param answers what the origin sends, interim ones first
   */
  public record Fetch(Message expected, List<Message> answers) {}

  /** Time that passes. */
  public record Pause(long seconds) implements Step {}
}
