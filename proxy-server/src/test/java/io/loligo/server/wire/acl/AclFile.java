package io.loligo.server.wire.acl;

import java.util.Map;

/**
 * Lines of a configuration that decide about requests. Immutable.
 *
 * @param values the files of values that its {@code acl} lines name, by path
 */
public record AclFile(String text, Map<String, String> values) {}
