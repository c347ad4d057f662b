// SPDX-License-Identifier: MIT
//
// A window of Qt without a screen, painted into an image; threads with signals between them.
#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QThread>
#include <QVBoxLayout>
#include <cstdio>

int main(int argc, char **argv)
{
	QApplication app(argc, argv);
	QWidget window;
	QVBoxLayout layout(&window);
	QLabel label("label");
	QPushButton button("button");
	QTableWidget table(50, 8);
	int pressed = 0, ended = 0;

	for (int i = 0; i < 400; i++)
		table.setItem(i / 8, i % 8, new QTableWidgetItem(QString::number(i)));
	layout.addWidget(&label);
	layout.addWidget(&button);
	layout.addWidget(&table);
	QObject::connect(&button, &QPushButton::clicked, [&] { pressed++; });
	window.resize(600, 400);
	window.show();
	app.processEvents();
	for (int i = 0; i < 20; i++)
		button.click();
	QImage image = window.grab().toImage();
	for (int i = 0; i < 4; i++) {
		QThread *thread = QThread::create([] {
			QStringList words;
			for (int k = 0; k < 1000; k++)
				words << QString::number(k);
		});
		QObject::connect(thread, &QThread::finished, &app, [&] {
			if (++ended == 4)
				app.quit();
		});
		QObject::connect(thread, &QThread::finished, thread, &QObject::deleteLater);
		thread->start();
	}
	app.exec();
	std::printf("pressed %d, ended %d, image %d x %d\n", pressed, ended, image.width(),
		    image.height());
}
