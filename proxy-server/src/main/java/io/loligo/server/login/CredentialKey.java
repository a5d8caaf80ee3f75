package io.loligo.server.login;

/** 128 bits of a keyed hash of credentials: equal for equal credentials only. Immutable. */
public record CredentialKey(long high, long low) {}
