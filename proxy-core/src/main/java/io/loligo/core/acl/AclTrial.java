package io.loligo.core.acl;

/**
 * How a term of a rule answers for a request. Immutable.
 *
 * @param term name of the ACL, with {@code !} before a negated one
 * @param answer what the term says, its sign included
 */
public record AclTrial(String term, Answer answer) {
  /** The possible answers. */
  public enum Answer {
    MATCHES("matches"),
    DOES_NOT_MATCH("does not match"),
    NEEDS_DESTINATION("needs the addresses of the host"),
    NEEDS_NAME("needs the name of the host's address"),
    NEEDS_LOGIN("needs the user"),
    NEEDS_HELPER("needs the answer of its helper"),
    NEEDS_RESPONSE("depends on the response"),
    HAS_NO_EFFECT("has no effect here");

    private final String words;

    Answer(String words) {
      this.words = words;
    }

    /** The words in a report. */
    public String words() {
      return words;
    }

    static Answer of(int outcome) {
      return switch (outcome) {
        case Condition.NO -> DOES_NOT_MATCH;
        case Condition.YES -> MATCHES;
        case Condition.NEEDS_DESTINATION -> NEEDS_DESTINATION;
        case Condition.NEEDS_NAME -> NEEDS_NAME;
        case Condition.NEEDS_LOGIN, Condition.CHALLENGE -> NEEDS_LOGIN;
        default -> NEEDS_HELPER;
      };
    }
  }
}
