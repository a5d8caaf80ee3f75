/**
 * The text of JSON: {@link io.loligo.server.json.JsonWriter} and {@link
 * io.loligo.server.json.JsonValue}. It knows no other package; every package may use it.
 */
@NullMarked
package io.loligo.server.json;

import org.jspecify.annotations.NullMarked;
