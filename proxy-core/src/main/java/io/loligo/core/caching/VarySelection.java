package io.loligo.core.caching;

import io.loligo.core.message.Fields;

/**
 * The selecting fields of a stored response (RFC 9111 section 4.1): the names its Vary nominated
 * and the values the storing request had. Immutable.
 */
public final class VarySelection {
  private VarySelection() {}

  /**
   * The selection of {@code request} under the Vary of {@code response}; null where it has none.
   * {@code Vary: *} never gets here: such a response is not stored.
   */
  public static VarySelection of(Fields request, Fields response) {
    throw new AssertionError("caching work package");
  }

  /** Whether {@code request} selects the same variant. No allocation. */
  public boolean matches(Fields request) {
    throw new AssertionError("caching work package");
  }
}
