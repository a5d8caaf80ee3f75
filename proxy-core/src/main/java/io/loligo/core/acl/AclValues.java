package io.loligo.core.acl;

import java.util.Set;

/**
 * The values of one ACL in comparable form. Immutable.
 *
 * @param texts words, expressions with their flags, and spans of time
 * @param mode what {@code texts} are compared with, beside the type
 * @param anyUser {@code proxy_auth REQUIRED}
 * @param looksNothingUp {@code dst -n}
 * @param looksUpNames whether a host given as an address is looked up
 * @param most of {@code maxconn}
 */
record AclValues(
    AddressSet addresses,
    NumberRanges numbers,
    Set<String> texts,
    String mode,
    boolean anyUser,
    boolean looksNothingUp,
    boolean looksUpNames,
    int most) {}
