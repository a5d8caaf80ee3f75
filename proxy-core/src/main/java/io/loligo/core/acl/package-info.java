/**
 * ACLs and the rules that name them, in Squid's terms: from the words of a line to a verdict.
 *
 * <p>{@code core.config} compiles lists; {@code exchange} and {@code accesslog} evaluate them on an
 * {@link AclInput} of their own. Lists are immutable: any thread may evaluate them, and an
 * evaluation allocates nothing.
 */
@NullMarked
package io.loligo.core.acl;

import org.jspecify.annotations.NullMarked;
