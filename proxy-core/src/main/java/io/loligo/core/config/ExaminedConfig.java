package io.loligo.core.config;

/**
 * A configuration that was read to be judged, with its rules. Immutable but for the rules.
 *
 * @param result as the start would get it
 */
public record ExaminedConfig(ConfigResult result, RuleBook rules) {}
