package io.loligo.server.record;

import org.jspecify.annotations.Nullable;

/**
 * What helpers of ACLs have told about a request, beside its notes. Immutable; the characters of
 * its texts are bytes.
 *
 * @param tag the first {@code tag=}; null: none
 * @param log the last {@code log=}; null: none
 * @param user the last {@code user=}; null: none
 * @param message the last {@code message=}; null: none
 */
public record HelperFacts(
    @Nullable String tag, @Nullable String log, @Nullable String user, @Nullable String message) {
  /** Nothing. */
  public static final HelperFacts NONE = new HelperFacts(null, null, null, null);

  /** The same facts with those of one answer; null: it does not say so. */
  public HelperFacts told(
      @Nullable String newTag,
      @Nullable String newLog,
      @Nullable String newUser,
      @Nullable String newMessage) {
    return new HelperFacts(
        tag == null ? newTag : tag,
        newLog == null ? log : newLog,
        newUser == null ? user : newUser,
        newMessage == null ? message : newMessage);
  }
}
