/**
 * Whether all nodes have the same configuration: each announces hashes of its own, and compares
 * those of the others.
 *
 * <p>{@link io.loligo.cluster.configuration.Configurations} is confined to the steps of the node;
 * the rest is immutable. The text of a configuration is hashed by its owner and never sent.
 */
@NullMarked
package io.loligo.cluster.configuration;

import org.jspecify.annotations.NullMarked;
