package io.loligo.server.record;

import org.jspecify.annotations.Nullable;

/**
 * What helpers of ACLs have told about a request, beside its notes. Immutable; the characters of
 * its texts are bytes. Null: nothing.
 *
 * @param tag the first {@code tag=}
 * @param log the last {@code log=}
 * @param user the last {@code user=}
 * @param password the last {@code password=}, for {@code cache_peer login=PASS} only
 * @param message the last {@code message=}
 */
public record HelperFacts(
    @Nullable String tag,
    @Nullable String log,
    @Nullable String user,
    @Nullable String password,
    @Nullable String message) {
  /** Nothing. */
  public static final HelperFacts NONE = new HelperFacts(null, null, null, null, null);

  /** These facts and those of the next answer. */
  public HelperFacts and(HelperFacts next) {
    return new HelperFacts(
        tag == null ? next.tag : tag,
        next.log == null ? log : next.log,
        next.user == null ? user : next.user,
        next.password == null ? password : next.password,
        next.message == null ? message : next.message);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "HelperFacts[tag=" + tag + ", log=" + log + ", user=" + user + "]";
  }
}
