/**
 * Load on proxies of one cluster, in processes of their own, while they fail. Each class says what
 * it confines to a thread.
 */
@NullMarked
package io.loligo.bench.cluster;

import org.jspecify.annotations.NullMarked;
