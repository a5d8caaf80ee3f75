/**
 * The cluster of this process: its lines, and the group that a line asks for.
 *
 * <p>{@link io.loligo.server.cluster.ClusterDirectives} and the records of its lines load nothing
 * of {@code io.loligo.cluster}; {@link io.loligo.server.cluster.Cluster} does, and is made only if
 * there is a line. {@code boot} owns it. Work of the cluster is done on its steps, one thread; what
 * others read is in volatile fields.
 */
@NullMarked
package io.loligo.server.cluster;

import org.jspecify.annotations.NullMarked;
