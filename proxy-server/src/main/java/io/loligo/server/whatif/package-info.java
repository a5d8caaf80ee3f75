/**
 * The hit ratio that a cache of another size would have, from a sample of the requests: a {@link
 * MissRatioCurve} keeps a few thousand keys and gives a {@link HitRatio} for each size.
 *
 * <p>It knows no other package of the proxy. One thread at a time uses a curve.
 */
@NullMarked
package io.loligo.server.whatif;

import org.jspecify.annotations.NullMarked;
