package io.loligo.store.purge;

/**
 * How many nodes of a cluster carried out a purge. Immutable.
 *
 * @param acknowledged nodes that carried it out, this one included
 * @param configured nodes that there should be
 */
public record Reach(int acknowledged, int configured) {
  /** {@code nodes 3/3}. */
  public String text() {
    return "nodes " + acknowledged + "/" + configured;
  }

  /** Whether no node is missing. */
  public boolean isWhole() {
    return acknowledged >= configured;
  }
}
