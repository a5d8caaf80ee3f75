package io.loligo.server.downstream.stream;

import io.loligo.core.config.ProxyConfig.Progress;
import io.loligo.server.time.Pace;

/** The paces that a configuration asks clients to keep. Stateless. */
public final class Paces {
  private Paces() {}

  /** The pace of a request's head or content; null: any. */
  public static Pace ofRequest(Progress progress) {
    return pace(progress.requestRate(), progress);
  }

  /** The pace at which a client takes its response; null: any. */
  public static Pace ofResponse(Progress progress) {
    return pace(progress.answerRate(), progress);
  }

  private static Pace pace(int bytesPerSecond, Progress progress) {
    return bytesPerSecond == 0 ? null : new Pace(bytesPerSecond, progress.windowMillis());
  }
}
