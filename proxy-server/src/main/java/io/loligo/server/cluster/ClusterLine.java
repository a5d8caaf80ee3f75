package io.loligo.server.cluster;

import io.loligo.core.config.HostPort;
import java.util.List;

/**
 * A line of {@code loligo_cluster}. Immutable.
 *
 * @param name of the cluster
 * @param listen the group port
 * @param kind how members are found
 * @param members those of the line; for a name or a file, empty
 * @param place the name and port, or the path; else empty
 * @param bodies port for bodies
 * @param weight share of the keys
 * @param connections most connections of this node to each other one, for bodies
 * @param copies nodes that keep a response which was hit twice, 1 or 2
 * @param insecure whether clear text is accepted beyond loopback
 * @param source file and number of the line
 */
public record ClusterLine(
    String name,
    HostPort listen,
    Kind kind,
    List<HostPort> members,
    String place,
    ClusterMode mode,
    int bodies,
    int weight,
    int connections,
    int copies,
    boolean insecure,
    String source) {
  /** How members are found. */
  public enum Kind {
    /** The line lists them. */
    LISTED,

    /** They are the addresses of a name. */
    DNS,

    /** A file lists them. */
    FILE
  }
}
