package io.loligo.server.login;

import io.loligo.server.login.SchemeSettings.KeyExtras;
import org.jspecify.annotations.Nullable;

/**
 * A request with credentials, for the time in which a scheme reads them. Confined to the event loop
 * of the request.
 */
public interface LoginRequest {
  /** The bytes of its head, borrowed. The field value is from {@link #start} to {@link #end}. */
  byte[] bytes();

  /** The place of the first byte of the field value. */
  int start();

  /** The place behind the last byte of the field value. */
  int end();

  /** Hashes for this event loop. */
  CredentialHash hash();

  /** The address of the client, 4 or 16 bytes. */
  byte[] clientAddress();

  /** The method. */
  String method();

  /** Whether {@code uri} is its target: as sent, or without scheme and host. */
  boolean isFor(String uri);

  /**
   * The login of its connection; null: the connection can have none, because it belongs to several
   * clients or carries several requests at a time.
   */
  @Nullable ConnectionLogin connection();

  /** The text of {@code extras} about it, or null if {@code extras} is null. */
  @Nullable String extras(@Nullable KeyExtras extras);
}
