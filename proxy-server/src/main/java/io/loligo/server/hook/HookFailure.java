package io.loligo.server.hook;

/** A hook has failed; the cause is its exception. It has no stack trace of its own. */
public final class HookFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** {@code cause} came from {@code hook}. */
  public HookFailure(String hook, Throwable cause) {
    super(hook + " failed: " + cause, cause, false, false);
  }
}
