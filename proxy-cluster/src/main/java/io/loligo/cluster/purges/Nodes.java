package io.loligo.cluster.purges;

/**
 * How far a purge came. Immutable.
 *
 * @param acknowledged nodes that carried it out, this one included
 * @param configured nodes that there should be
 */
public record Nodes(int acknowledged, int configured) {
  /** {@code 3/3}. */
  public String text() {
    return acknowledged + "/" + configured;
  }
}
