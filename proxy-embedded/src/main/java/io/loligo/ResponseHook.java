package io.loligo;

/**
 * Changes the fields of a final response before it goes to the client, whether it was stored,
 * fetched or made by the proxy. The stored response does not change. Not called for an established
 * tunnel.
 *
 * <p>It runs on an event loop and must not block: meanwhile the loop serves nobody. Several loops
 * may call it at the same time. If it throws, the client gets 500, and the log has a line.
 */
@FunctionalInterface
public interface ResponseHook {
  /**
   * Changes {@code fields}.
   *
   * @param request the request of the client
   * @param status of the response
   * @param fields the fields that are sent; valid until this returns
   */
  void edit(RequestView request, int status, FieldEditor fields);
}
