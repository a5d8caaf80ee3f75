package io.loligo.cluster.configuration;

import io.loligo.cluster.group.NodeRun;
import java.util.List;
import java.util.Map;

/**
 * The configurations of the members. Immutable.
 *
 * @param different number of different ones among the members that announced one
 * @param nodes the members that announced one
 */
public record ConfigurationState(int different, Map<NodeRun, OfNode> nodes) {
  /**
   * That of a node.
   *
   * @param changedNanos when it changed last, by the clock of this node
   * @param differsIn directives in which it differs from that of most nodes; of two that are as
   *     many, from the one with the lower hash
   * @param alarmed whether it differs for {@value Configurations#PATIENCE_SECONDS} s
   */
  public record OfNode(long hash, long changedNanos, List<String> differsIn, boolean alarmed) {}

  /** Whether a node is {@link OfNode#alarmed}. */
  public boolean isAlarmed() {
    return nodes.values().stream().anyMatch(OfNode::alarmed);
  }
}
