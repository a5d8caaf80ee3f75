package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a running proxy, and what it answers. */
final class RunningProxy {
  /** Environment variable with the secret, where no configuration gives one. */
  static final String SECRET = "LOLIGO_ADMIN_SECRET";

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description =
          "the proxy's loligo_admin_port, without TLS; default: ${DEFAULT-VALUE}. The secret is"
              + " taken from the environment variable "
              + SECRET)
  private String admin = AdminCall.USUAL;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "takes the admin port, its certificate and the secret from this configuration")
  private @Nullable Path file;

  /** Null until the first call. */
  private @Nullable AdminCall found;

  /** The answer to a GET. */
  String get(String page) throws CommandFailure, InterruptedException {
    try {
      return content(call().get(page), OK, OK);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** The answer to a POST. */
  String post(String page) throws CommandFailure, InterruptedException {
    return content(answer(page), OK, ACCEPTED);
  }

  /** The answer to a DELETE. */
  String delete(String page) throws CommandFailure, InterruptedException {
    try {
      return content(call().delete(page), OK, OK);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /**
   * The answer to a POST that may fail with {@code status}, and then has an ordinary answer too.
   */
  HttpResponse<String> post(String page, int status) throws CommandFailure, InterruptedException {
    HttpResponse<String> answer = answer(page);
    content(answer, OK, status);
    return answer;
  }

  /** Whether the process still answers. */
  boolean isRunning() throws CommandFailure, InterruptedException {
    try {
      call().get("/health/live");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> answer(String page) throws CommandFailure, InterruptedException {
    try {
      return call().post(page);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  private static CommandFailure unreachable(IOException e) {
    return new CommandFailure(
        CommandFailure.NOT_RUNNING,
        e.getMessage() + "; next: is the proxy running, with this loligo_admin_port?");
  }

  private static String content(HttpResponse<String> answer, int good, int alsoGood)
      throws CommandFailure {
    int status = answer.statusCode();
    if (status == good || status == alsoGood) {
      return answer.body();
    }
    String why = answer.body().strip();
    String remedy =
        status == UNAUTHORIZED || status == FORBIDDEN
            ? "; next: name the configuration with -f, or set " + SECRET
            : "";
    throw new CommandFailure(
        CommandFailure.FAILED, (why.isEmpty() ? "status " + status : why) + remedy);
  }

  private AdminCall call() throws CommandFailure {
    AdminCall known = found;
    if (known == null) {
      known = find();
      found = known;
    }
    return known;
  }

  private AdminCall find() throws CommandFailure {
    AdminCall call =
        admin.equals(AdminCall.USUAL)
            ? AdminCall.usual(null)
            : new AdminCall(admin, null, null, null);
    if (file != null) {
      ProxyConfig config = Features.reader(new FileConfigSource()).read(file.toString()).config();
      if (config == null) {
        throw new CommandFailure(
            CommandFailure.FAILED, file + " has errors (see: loligo check -f " + file + ")");
      }
      AdminCall named = AdminCall.of(config);
      if (named == null) {
        throw new CommandFailure(CommandFailure.FAILED, file + " has no loligo_admin_port");
      }
      call = named;
    }
    return call.orSecret(System.getenv(SECRET));
  }

  /** A value of a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
