package io.loligo;

/**
 * Changes the fields of a request before it goes to an origin or a parent. Called once for each
 * request that is sent, validations included, but for no CONNECT, and for no request that a stored
 * response answers. Several requests of clients may share one that is sent.
 *
 * <p>It runs on an event loop and must not block: meanwhile the loop serves nobody. Several loops
 * may call it at the same time. If it throws, the client gets 500, and the log has a line.
 */
@FunctionalInterface
public interface RequestHook {
  /**
   * Changes {@code fields}.
   *
   * @param request the request of the client
   * @param fields the fields that are sent; valid until this returns
   */
  void edit(RequestView request, FieldEditor fields);
}
