package io.loligo.server.login;

import io.loligo.core.acl.Notes;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The login of a client's connection, for schemes whose logins belong to connections (RFC 4559
 * section 6). Confined to the event loop of the connection.
 *
 * <pre>
 * NOBODY      no token yet, or the last one was not valid
 * HANDSHAKE   the client must answer the token of a challenge
 * USER        a user has logged in; further requests need no credentials
 * CLOSED      the connection is gone
 * </pre>
 */
public final class ConnectionLogin {
  private TokenCheck.@Nullable Handshake handshake;
  private @Nullable String scheme;
  private @Nullable String user;
  private List<Notes.Note> notes = List.of();
  private @Nullable CredentialKey credentials;
  private boolean closed;

  /** The user of {@code scheme}; null: nobody has logged in by it. */
  @Nullable String user(String scheme) {
    return scheme.equals(this.scheme) ? user : null;
  }

  /** The scheme by which somebody has logged in, or null. */
  @Nullable String scheme() {
    return user == null ? null : scheme;
  }

  /** Whether somebody has logged in with these credentials by {@code scheme}. */
  boolean hasUsed(String scheme, CredentialKey of) {
    return user(scheme) != null && of.equals(credentials);
  }

  /** The notes of requests of the user. */
  List<Notes.Note> notes() {
    return notes;
  }

  /**
   * The handshake of {@code scheme} in progress, or a new one; a login before is forgotten.
   *
   * @param begin begins one; null: it cannot be
   * @return null: a new one cannot be
   */
  TokenCheck.@Nullable Handshake handshake(
      String scheme, Supplier<TokenCheck.@Nullable Handshake> begin) {
    TokenCheck.Handshake known = scheme.equals(this.scheme) && user == null ? handshake : null;
    if (known != null) {
      return known;
    }
    forget();
    TokenCheck.Handshake begun = begin.get();
    if (begun != null) {
      handshake = begun;
      this.scheme = scheme;
    }
    return begun;
  }

  /** The handshake has ended: {@code name} has logged in with {@code of}. */
  void user(String name, List<Notes.Note> notes, CredentialKey of) {
    endHandshake();
    if (!closed) {
      user = name;
      this.notes = notes;
      credentials = of;
    }
  }

  /** Nobody has logged in, and no handshake is in progress. */
  void forget() {
    endHandshake();
    scheme = null;
    user = null;
    notes = List.of();
    credentials = null;
  }

  /** After a token of a handshake that goes on. */
  void goesOn() {
    if (closed) {
      endHandshake();
    }
  }

  private void endHandshake() {
    TokenCheck.Handshake ended = handshake;
    handshake = null;
    if (ended != null) {
      ended.end();
    }
  }

  /**
   * The connection is gone. A handshake whose token is being checked ends with the check.
   *
   * <p>The last call by the connection.
   */
  public void close() {
    closed = true;
    forget();
  }
}
