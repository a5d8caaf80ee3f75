/** Opening connections: transports, order of addresses, Happy Eyeballs. */
package io.loligo.server.upstream.connect;
