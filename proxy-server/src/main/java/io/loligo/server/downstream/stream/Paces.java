package io.loligo.server.downstream.stream;

import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.time.Pace;
import org.jspecify.annotations.Nullable;

/** The paces that a configuration requires of clients. Stateless. */
public final class Paces {
  private Paces() {}

  /** The pace of a request's head or content; null: any. */
  public static @Nullable Pace ofRequest(ClientSettings settings) {
    return pace(settings.minRequestRate, settings);
  }

  /** The pace at which a client takes its response; null: any. */
  public static @Nullable Pace ofResponse(ClientSettings settings) {
    return pace(settings.minAnswerRate, settings);
  }

  private static @Nullable Pace pace(int bytesPerSecond, ClientSettings settings) {
    return bytesPerSecond == 0 ? null : new Pace(bytesPerSecond, settings.rateWindowMillis);
  }
}
