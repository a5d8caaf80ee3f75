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
  /** The next step. */
  public sealed interface Step permits Exchange, Pause {}

  /**
   * A request of the client and its consequences.
   *
   * @param request the client's bytes
   * @param forward whether by the port that forwards, in absolute-form
   * @param fetches the requests to the origin, and its responses
   * @param responses the client's responses, interim ones first
   */
  public record Exchange(
      Message request, boolean forward, List<Fetch> fetches, List<Message> responses)
      implements Step {}

  /**
   * A request to the origin.
   *
   * @param expected the expected message, or null
   * @param answers the origin's responses, interim ones first
   */
  public record Fetch(Message expected, List<Message> answers) {}

  /** Time that passes. */
  public record Pause(long seconds) implements Step {}
}
